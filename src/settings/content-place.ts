import { type Parser, text } from './parser.ts';

const MAX_LENGTH = 4_096;
/** The names that AWS allows for general purpose buckets. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Segments of a prefix: characters that need no escaping anywhere (S3's "safe characters"). */
const PREFIX_SEGMENT = /^(?!\.{1,2}$)[\w!.*'()-]{1,200}$/;
const MAX_PREFIX_SEGMENTS = 3;
const S3_SCHEME = 's3://';

/** Where course files are stored: a folder, or objects of a bucket whose names start with a prefix. */
export type ContentPlace =
  | { kind: 'folder'; folder: string }
  | { kind: 's3'; bucket: string; prefix: string; endpoint: string | null };

/** Reads `content_store`. The value is the text in its normal form. */
export const contentStoreText: Parser<string> = text({
  allowed:
    `a path of at most ${MAX_LENGTH} characters, or s3://bucket or s3://bucket/prefix with at most ` +
    `${MAX_PREFIX_SEGMENTS} segments of letters, digits and !-_.*'()`,
  read: (given) => {
    const trimmed = given.trim();
    if (trimmed === '' || trimmed.length > MAX_LENGTH || trimmed.includes('\0')) return undefined;
    if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return trimmed;
    if (!trimmed.startsWith(S3_SCHEME)) return undefined;
    const [bucket = '', ...segments] = trimmed.slice(S3_SCHEME.length).replace(/\/$/, '').split('/');
    if (!BUCKET.test(bucket) || segments.length > MAX_PREFIX_SEGMENTS) return undefined;
    if (!segments.every((segment) => PREFIX_SEGMENT.test(segment))) return undefined;
    return S3_SCHEME + [bucket, ...segments].join('/');
  },
});

/**
 * The place that the settings `content_store` and `content_store_endpoint` name; null for the folder in the data
 * folder.
 */
export function contentPlaceOf(settings: {
  readonly content_store: string | null;
  readonly content_store_endpoint: string | null;
}): ContentPlace | null {
  const { content_store: given, content_store_endpoint: endpoint } = settings;
  if (given === null) return null;
  if (!given.startsWith(S3_SCHEME)) return { kind: 'folder', folder: given };
  const [bucket = '', ...segments] = given.slice(S3_SCHEME.length).split('/');
  return { kind: 's3', bucket, prefix: segments.map((segment) => `${segment}/`).join(''), endpoint };
}
