/** These run in the page: they see nothing but it. */

/** WebKit ignores `position: relative` on rows. This makes any browser do so, within the page's security policy. */
export function makeRowsStatic(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('table, thead, tbody, tr, th, td { position: static !important }');
  document.adoptedStyleSheets.push(sheet);
}

/**
 * Names of the controls that a click on their middle does not reach, and how many were checked. Inputs that are drawn
 * by their label count as reached if the label is.
 */
export function coveredControls(): { looked: number; covered: string[] } {
  const selector = 'a[href], button, input, select, textarea, [role=tab], [role=treeitem]';
  const isShown = (control: Element) => {
    const { width, height, bottom, right } = control.getBoundingClientRect();
    // The link that skips the navigation is outside the window until the keyboard reaches it.
    const isOutside = bottom < 0 || right < 0;
    const isVisible = control.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return width > 4 && height > 4 && !isOutside && isVisible;
  };
  const isCovered = (control: Element) => {
    control.scrollIntoView({ block: 'center', inline: 'center' });
    const { left, top, width, height } = control.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    const labels = Array.from((control as HTMLInputElement).labels ?? []);
    return !control.contains(hit) && !labels.some((label) => label.contains(hit));
  };
  const nameOf = (control: Element) =>
    control.getAttribute('aria-label') ?? (control.textContent.trim() || control.outerHTML);
  const shown = Array.from(document.querySelectorAll(selector)).filter(isShown);
  return { looked: shown.length, covered: shown.filter(isCovered).map(nameOf) };
}
