import { serviceAddress } from './addresses.ts';
import { noteUse } from './attention.ts';
import { UnreachableError } from './errors.ts';
import { assertOwnSession } from './own-session.ts';
import { parsed, problemFrom } from './request.ts';

/** The progress of an upload. `sent` equals `total` while the service processes the file. */
export interface UploadProgress {
  sent: number;
  total: number;
}

/** Posts a form with files and reports the progress, which `fetch` cannot. Throws the same errors as `request`. */
export function upload<T>(
  path: string,
  form: FormData,
  options: { onProgress: (progress: UploadProgress) => void; signal?: AbortSignal; idempotencyKey?: string },
): Promise<T> {
  return new Promise((resolve, reject) => {
    assertOwnSession();
    const transfer = new XMLHttpRequest();
    transfer.open('POST', serviceAddress(path));
    transfer.setRequestHeader('accept', 'application/json');
    if (options.idempotencyKey !== undefined)
      transfer.setRequestHeader('idempotency-key', options.idempotencyKey);
    transfer.upload.onprogress = ({ loaded, total }) => {
      noteUse();
      options.onProgress({ sent: loaded, total });
    };
    transfer.onload = () => {
      const body = parsed(transfer.responseText);
      if (transfer.status >= 200 && transfer.status < 300) resolve(body as T);
      else reject(problemFrom(transfer.status, body, transfer.getResponseHeader('retry-after')));
    };
    transfer.onerror = () => reject(new UnreachableError('the upload failed'));
    transfer.onabort = () => reject(new DOMException('The upload was cancelled.', 'AbortError'));
    options.signal?.addEventListener('abort', () => transfer.abort(), { once: true });
    transfer.send(form);
  });
}
