import { lookup } from 'mrmime';

/** Types that browsers need by name and the library leaves out. */
const FURTHER: Readonly<Record<string, string>> = {
  cur: 'image/x-icon',
  eot: 'application/vnd.ms-fontobject',
  ico: 'image/x-icon',
  m4v: 'video/mp4',
  srt: 'application/x-subrip',
};

const UNKNOWN = 'application/octet-stream';

/**
 * The media type of a file by its name. No charset: old courses are written in many encodings, and say so in their
 * pages.
 */
export function mediaTypeOf(path: string): string {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return lookup(extension) ?? FURTHER[extension] ?? UNKNOWN;
}
