import { quoted } from '../package-error.ts';

/** A scheme, followed by any characters that are valid in an IRI (RFC 3987). */
const ABSOLUTE_IRI = /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`\p{Cc}]+$/iu;

/** Whether a text is an absolute IRI, which xAPI and cmi5 require of ids. */
export function isAbsoluteIri(text: string): boolean {
  return ABSOLUTE_IRI.test(text);
}

/** Why an id of a manifest is rejected. @param what the id is of */
export function notAbsoluteIri(id: string, what: string): string {
  return `the id ${quoted(id)} of the ${what} is not an absolute IRI, such as https://example.com/course`;
}
