/** Lets the browser ask before it closes the page. @param wouldLose whether closing it would lose work */
export function askBeforeClosing(wouldLose: () => boolean): void {
  addEventListener('beforeunload', (event) => {
    if (!wouldLose()) return;
    event.preventDefault();
    // Chromium before version 119 requires it.
    event.returnValue = true;
  });
}
