/** Maximum length of a language tag. Longer ones are ignored. */
const MAX_TAG_LENGTH = 100;

/**
 * The languages of an `Accept-Language` field in lower case, the most preferred first, without those that are not wanted
 * (RFC 9110 section 12.5.4). @param most how many items of the field are read
 */
export function acceptedLanguages(field: string | undefined, most: number): string[] {
  return (field ?? '')
    .toLowerCase()
    .split(',', most)
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      return { tag, quality: Number(quality) };
    })
    .filter(({ tag, quality }) => tag !== '' && tag !== '*' && tag.length <= MAX_TAG_LENGTH && quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}
