const LENGTH_OF_HEX = 8;
const HEX = 16;

/**
 * Identifies a text among those that one page saved: 64 bits of two FNV-1a hashes over the UTF-16 code units. A page
 * that is being closed needs it immediately, but the browser's own digests are asynchronous. It does not protect
 * against forgery.
 */
export function textDigest(text: string): string {
  let one = 0x811c9dc5;
  let other = 0x01234567;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ (unit + at), 0x85ebca6b);
  }
  return [one, other].map((half) => (half >>> 0).toString(HEX).padStart(LENGTH_OF_HEX, '0')).join('');
}
