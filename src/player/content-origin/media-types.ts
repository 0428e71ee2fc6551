import { lookup } from 'mrmime';

/** Media types that browsers require and the library does not know. */
const FURTHER: Readonly<Record<string, string>> = {
  cur: 'image/x-icon',
  eot: 'application/vnd.ms-fontobject',
  ico: 'image/x-icon',
  m4v: 'video/mp4',
  srt: 'application/x-subrip',
};

const UNKNOWN = 'application/octet-stream';

/** The media type of a file, by its name. Without charset: old courses use many encodings, declared in their pages. */
export function mediaTypeOf(path: string): string {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return lookup(extension) ?? FURTHER[extension] ?? UNKNOWN;
}
