import { MAX_NAME_LENGTH } from '../../../src/text-lengths.ts';
import { lengthOf } from '../utilities/length-of.ts';

/** What a page says about a name. */
export interface NameFaultTexts {
  /** If there is no name. */
  required: string;
  /** If it has more characters than the service accepts. */
  tooLong: string;
}

/** The fault of a name, in the words of its page; null if there is none. Spaces at its ends are not sent. */
export function nameFault(name: string, { required, tooLong }: NameFaultTexts): string | null {
  const sent = name.trim();
  if (sent === '') return required;
  return lengthOf(sent) > MAX_NAME_LENGTH ? tooLong : null;
}
