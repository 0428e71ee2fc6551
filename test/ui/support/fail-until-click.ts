/**
 * A script for a page: requests to addresses with this text fail until the next click. Pages also repeat requests by
 * themselves, so a button to try again could disappear before it is clicked.
 */
export function failUntilClick(address: string): string {
  return `{
    const { fetch } = globalThis;
    let isClicked = false;
    document.addEventListener('click', () => { isClicked = true; }, { capture: true });
    globalThis.fetch = async (...request) =>
      isClicked || !String(request[0].url ?? request[0]).includes(${JSON.stringify(address)})
        ? await fetch(...request)
        : new Response('{}', { status: 500 });
  }`;
}
