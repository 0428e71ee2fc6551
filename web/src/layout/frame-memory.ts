/** index.html reads it before the first paint. */
const SIGNED_IN_KEY = 'coursewire-signed-in';

/** Remembers whether the next load starts with the frame of signed-in people. If a browser refuses, nothing is stored. */
export function rememberFrame(signedIn: boolean): void {
  try {
    if (signedIn) localStorage.setItem(SIGNED_IN_KEY, '1');
    else localStorage.removeItem(SIGNED_IN_KEY);
  } catch {}
}
