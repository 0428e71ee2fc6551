/** The size of a target, in pixels, that WCAG 2.5.8 requires; the parameter of `smallTargets`. */
export const LEAST_TARGET = 24;

/**
 * Names of the controls that a click narrowly misses and hits another one instead: in a square of this size around
 * their middle (WCAG 2.5.8). A row that opens a page is a control, too. Links within text may be as high as its
 * lines, and the link of a row has the whole row. Also returns how many controls were checked.
 *
 * It runs in the page: it sees nothing but it and its parameter.
 */
export function smallTargets(size: number): { looked: number; small: string[] } {
  const selector = 'a[href], button, input, select, summary, [role=tab], [role=treeitem], [data-toggle]';
  // Layouts have fractions of a pixel.
  const reach = size / 2 - 0.5;
  const isShown = (control: Element) => {
    const { width, height, bottom, right } = control.getBoundingClientRect();
    return width > 1 && height > 1 && bottom > 0 && right > 0 && control.checkVisibility();
  };
  const isExempt = (control: Element) =>
    control.matches('[data-row-link]') || getComputedStyle(control).display === 'inline';
  /** What a click there does something to. */
  const targetAt = (x: number, y: number) => {
    const hit = document.elementFromPoint(x, y);
    return hit?.closest(`${selector}, label`) ?? hit?.closest(':is(tr, li):has(a[data-row-link])') ?? null;
  };
  const isSmall = (control: Element) => {
    control.scrollIntoView({ block: 'center', inline: 'center' });
    const { left, top, width, height } = control.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const labels = Array.from((control as HTMLInputElement).labels ?? []);
    return [
      targetAt(x - reach, y),
      targetAt(x + reach, y),
      targetAt(x, y - reach),
      targetAt(x, y + reach),
    ].some(
      (target) => target !== null && !control.contains(target) && !labels.some((label) => label === target),
    );
  };
  const nameOf = (control: Element) =>
    control.getAttribute('aria-label') ?? (control.textContent.trim() || control.outerHTML);
  const shown = Array.from(document.querySelectorAll(selector)).filter(
    (control) => isShown(control) && !isExempt(control),
  );
  return { looked: shown.length, small: shown.filter(isSmall).map(nameOf) };
}
