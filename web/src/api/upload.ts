import { serviceAddress } from './addresses.ts';
import { UnreachableError } from './errors.ts';
import { parsed, problemFrom } from './request.ts';

/** How far an upload is. `sent` equals `total` while the service works on what it got. */
export interface UploadProgress {
  sent: number;
  total: number;
}

/**
 * Posts a form with files and tells how far it is, which `fetch` cannot. Errors as `request`.
 */
export function upload<T>(
  path: string,
  form: FormData,
  options: { onProgress: (progress: UploadProgress) => void; signal?: AbortSignal; idempotencyKey?: string },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const transfer = new XMLHttpRequest();
    transfer.open('POST', serviceAddress(path));
    transfer.setRequestHeader('accept', 'application/json');
    if (options.idempotencyKey !== undefined)
      transfer.setRequestHeader('idempotency-key', options.idempotencyKey);
    transfer.upload.onprogress = ({ loaded, total }) => options.onProgress({ sent: loaded, total });
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
