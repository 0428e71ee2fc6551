import { ApiError, isNotFound, isTooLarge, isUnauthorized, UnreachableError } from '../../../api/errors.ts';
import { explainError } from '../../../components/explain-error.ts';
import { uploads } from '../../../texts/uploads.ts';
import { formatBytes } from '../../../utilities/numbers.ts';
import { FileGoneError, type UploadTarget } from './upload-queue.ts';

const words = uploads.problems;
const LONG_BYTE_COUNT = /\b(\d{4,}) bytes\b/g;

/** Why an upload failed, in plain words. */
export interface UploadFailure {
  text: string;
  /** Whether the package is the cause, so that sending it again would not help. */
  refused: boolean;
}

/** Explains an error of the upload of a package for a target. */
export function explainUpload(error: unknown, target: UploadTarget): UploadFailure {
  if (error instanceof FileGoneError) return { text: words.gone, refused: true };
  if (error instanceof UnreachableError) return { text: words.broken, refused: false };
  if (error instanceof ApiError) {
    if (isUnauthorized(error)) return { text: words.session, refused: false };
    if (isTooLarge(error))
      return { text: `${readableBytes(error.message)}. ${words.tooLargeAdvice}`, refused: true };
    if (error.code === 'invalid-package') return { text: readableBytes(error.message), refused: true };
    if (isNotFound(error) && target.kind === 'version') return { text: words.course, refused: true };
    if (error.errors.some(({ pointer }) => pointer === '/folder_id'))
      return { text: words.folder, refused: true };
    const [first] = error.errors;
    if (first !== undefined) return { text: readableBytes(first.detail), refused: true };
  }
  const { title, detail, advice } = explainError(error);
  return { text: [`${title}.`, detail, advice].filter(Boolean).join(' '), refused: false };
}

/** Replaces numbers such as `1073741824 bytes`, which are hard to read. */
function readableBytes(text: string): string {
  return text.replace(LONG_BYTE_COUNT, (_whole, count: string) => formatBytes(Number(count)));
}
