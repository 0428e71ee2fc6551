/** Moves the focus to the heading of the page, for when what had it has disappeared. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

/**
 * A ref for something that may disappear with the focus in it, such as a row. The heading then gets the focus or, in a
 * dialog, the dialog.
 */
export function keepsFocus(element: HTMLElement | null): () => void {
  return () => {
    if (element?.contains(document.activeElement) !== true) return;
    const dialog = element.closest<HTMLElement>('[role=dialog]');
    // It is still there, and what replaces it may take the focus.
    queueMicrotask(() => {
      if (document.activeElement !== document.body) return;
      if (dialog === null) focusHeading();
      else dialog.focus({ preventScroll: true });
    });
  };
}

/**
 * Moves the focus to the last button of the next item in a list, or of the item before it, because the item with the
 * focus is about to be removed.
 * @param control the element with the focus
 * @returns false if there is no other item
 */
export function focusNeighbour(control: Element): boolean {
  const item = control.closest('li');
  const neighbour = item?.nextElementSibling ?? item?.previousElementSibling;
  const button = Array.from(neighbour?.querySelectorAll('button') ?? []).at(-1);
  button?.focus();
  return button !== undefined;
}

/**
 * A ref for a form that may appear in a dialog after the dialog, such as when its record has been read or read again: its
 * first field gets the focus, which was at the close button until then, or in the former form.
 */
export function focusesFirstField(form: HTMLFormElement | null): void {
  const { activeElement, body } = document;
  const dialog = form?.closest('[role=dialog]') ?? null;
  if (dialog === null || (activeElement !== body && !dialog.contains(activeElement))) return;
  form?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
}
