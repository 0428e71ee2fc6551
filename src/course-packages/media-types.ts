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
/** What browsers show in a frame. They download files of other types. */
const SHOWN = /^(?:(?:text|image|audio|video)\/|application\/(?:pdf|json|xml|xhtml\+xml)$)/;

/** The media type of a file, by its name. Without charset: old courses use many encodings, declared in their pages. */
export function mediaTypeOf(path: string): string {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return lookup(extension) ?? FURTHER[extension] ?? UNKNOWN;
}

/** Whether browsers show a file as a page, by its name. */
export function isShown(path: string): boolean {
  return SHOWN.test(mediaTypeOf(path));
}
