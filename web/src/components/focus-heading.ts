/** Moves the focus to the heading of the page, for when what had it has disappeared. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

/** A ref for something that may disappear with the focus in it, such as a row. The heading then gets the focus. */
export function keepsFocus(element: HTMLElement | null): () => void {
  return () => {
    if (element?.contains(document.activeElement) !== true) return;
    // It is still there, and what replaces it may take the focus.
    queueMicrotask(() => {
      if (document.activeElement === document.body) focusHeading();
    });
  };
}
