import { addAbortSignal, type Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { readCredentialsAgain } from '../../aws-credentials.ts';
import { bytesIn, collectorOf } from '../../aws-responses.ts';
import { MIB } from '../../bytes.ts';
import { FairSlots } from '../../fair-slots.ts';
import type { ProblemError } from '../../problems/problem.ts';
import { HOUR_MS, MINUTE_MS } from '../../time/units.ts';
import { assertContentKey, CONTENT_KEY_LENGTH, entityTagOf, isContentKey } from './content-key.ts';
import type { ByteRange, ContentStore, FileFacts, StoredFile } from './content-store.ts';
import { contentUnavailable } from './content-unavailable.ts';
import { isFilePath, MAX_PATH_BYTES } from './file-path.ts';
import { S3Downloads, TOO_MANY_BYTES } from './s3-downloads.ts';
import { reaching, statusOf, unlessMissing } from './s3-failures.ts';
import { MAX_ATTEMPTS, REQUEST_DEADLINE_MS } from './s3-limits.ts';
import { uploadFolder } from './s3-upload.ts';

const OWNER_OBJECT = 'coursewire-installation';
const CONNECT_DEADLINE_MS = 3_000;
/** Maximum duration of an upload request, which sends up to 5 MiB. */
const UPLOAD_DEADLINE_MS = 2 * MINUTE_MS;
/** Maximum idle time of a connection. If a server ignores ranges, a paused player keeps one. */
const IDLE_DEADLINE_MS = 5 * MINUTE_MS;
/** Maximum number of concurrent requests for files. Others wait. */
const PARALLEL_DOWNLOADS = 256;
/** Maximum number of connections of a client. Waits are short, because no request lasts long. */
const MAX_CONNECTIONS = 256;
/** More than the id of an installation takes. */
const MAX_OWNER_BYTES = 256;
/** Maximum number of concurrent requests of all uploads: each holds a part of a file in memory. */
const PARALLEL_UPLOADS = 12;
/** A package of 2 GiB or 20,000 files is stored within minutes. An import of this age is no longer in progress. */
const PUT_DEADLINE_MS = 2 * HOUR_MS;
/** More than a list of 1,000 objects takes as XML, whatever the characters of their names. Files are read apart. */
const MAX_RESPONSE_BYTES = 16 * MIB;
/** Maximum number of objects that S3 deletes per request. */
const DELETED_AT_A_TIME = 1_000;

/** Where course files are kept on S3. */
export interface S3Place {
  bucket: string;
  /** Empty, or with a slash at its end. */
  prefix: string;
  /** The URL of an S3-compatible server; null to let the AWS SDK decide from its environment, by default AWS itself. */
  endpoint: string | null;
}

/**
 * Course files as objects `<prefix><key>/<path>` of a bucket. Credentials and region come from the usual AWS sources.
 */
export class S3ContentStore implements ContentStore {
  readonly location: string;
  readonly maxPathBytes: number;
  /** For everything but downloads, so that health checks and uploads never wait for these. */
  readonly #client: S3Client;
  readonly #downloadClient: S3Client;
  readonly #downloads: S3Downloads;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #slots = new FairSlots(PARALLEL_UPLOADS, PARALLEL_UPLOADS);
  /** Ends requests at disposal. Otherwise, they would be repeated, and keep the process. */
  readonly #end = new AbortController();
  #expectedOwner: string | null = null;

  constructor({ bucket, prefix, endpoint }: S3Place) {
    this.location = `s3://${bucket}/${prefix}`;
    this.maxPathBytes = MAX_PATH_BYTES - Buffer.byteLength(prefix) - CONTENT_KEY_LENGTH - '/'.length;
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#client = newClient(endpoint);
    this.#downloadClient = newClient(endpoint);
    this.#downloads = new S3Downloads({
      client: this.#downloadClient,
      bucket,
      connections: PARALLEL_DOWNLOADS,
    });
  }

  async put(key: string, stagedFolder: string, signal: AbortSignal): Promise<void> {
    const prefix = this.#prefixOf(key);
    const deadline = AbortSignal.timeout(PUT_DEADLINE_MS);
    const stop = AbortSignal.any([signal, deadline, this.#end.signal]);
    try {
      await uploadFolder(stagedFolder, {
        client: this.#client,
        bucket: this.#bucket,
        prefix,
        slots: this.#slots,
        requestDeadlineMs: UPLOAD_DEADLINE_MS,
        signal: stop,
        end: this.#end.signal,
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      await reaching(() => Promise.reject(error));
    }
  }

  async remove(key: string): Promise<void> {
    const prefix = this.#prefixOf(key);
    await reaching(async () => {
      let names = await this.#list(prefix);
      while (names.length > 0) {
        const { Errors = [] } = await this.#client.send(
          new DeleteObjectsCommand({
            Bucket: this.#bucket,
            Delete: { Objects: names.map((name) => ({ Key: name })), Quiet: true },
          }),
          this.#deadline(),
        );
        const [refused] = Errors;
        if (refused !== undefined) throw new Error(`S3 did not delete an object: ${refused.Code}`);
        const [deleted] = names;
        names = names.length < DELETED_AT_A_TIME ? [] : await this.#list(prefix);
        if (names[0] === deleted) throw new Error('S3 still lists an object that it has deleted');
      }
      for await (const { name, uploadId } of this.#uploads(prefix)) {
        await unlessMissing(
          this.#client.send(
            new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key: name, UploadId: uploadId }),
            this.#deadline(),
          ),
        );
      }
    });
  }

  async read(key: string, filePath: string, range?: ByteRange): Promise<StoredFile | null> {
    const prefix = this.#prefixOf(key);
    if (!isFilePath(filePath)) return null;
    const opened = await reaching(() => unlessMissing(this.#downloads.open(prefix + filePath, range)));
    return opened === null ? null : Object.assign(opened, { etag: entityTagOf(key, filePath) });
  }

  async find(key: string, filePath: string): Promise<FileFacts | null> {
    const prefix = this.#prefixOf(key);
    if (!isFilePath(filePath)) return null;
    const found = await reaching(() => unlessMissing(this.#downloads.find(prefix + filePath)));
    return found === null ? null : { ...found, etag: entityTagOf(key, filePath) };
  }

  async *files(key: string): AsyncGenerator<string> {
    const prefix = this.#prefixOf(key);
    for await (const { Contents = [] } of this.#pages({ Prefix: prefix })) {
      for (const { Key = '' } of Contents) yield Key.slice(prefix.length);
    }
  }

  async has(key: string): Promise<boolean> {
    const prefix = this.#prefixOf(key);
    return (await reaching(() => this.#list(prefix, 1))).length > 0;
  }

  async *keys(): AsyncGenerator<string> {
    await this.#assertOwner();
    for await (const { CommonPrefixes = [] } of this.#pages({ Prefix: this.#prefix, Delimiter: '/' })) {
      for (const { Prefix = '' } of CommonPrefixes) {
        const key = this.#keyOf(Prefix);
        if (key !== null) yield key;
      }
    }
    // A process that died while sending a large file may have left only parts of it.
    for await (const { name } of this.#uploads(this.#prefix)) {
      const key = this.#keyOf(name);
      if (key !== null) yield key;
    }
  }

  async owner(): Promise<string | null> {
    const name = this.#prefix + OWNER_OBJECT;
    return await reaching(async () => {
      const deadline = this.#deadline();
      const request = new GetObjectCommand({ Bucket: this.#bucket, Key: name });
      const found = await unlessMissing(this.#client.send(request, deadline));
      if (found === null) return null;
      const body = addAbortSignal(deadline.abortSignal, found.Body as Readable);
      return (await bytesIn(body, MAX_OWNER_BYTES, TOO_MANY_BYTES)).toString().trim();
    });
  }

  async claim(installation: string): Promise<string> {
    // The owner is read first, because servers that do not support If-None-Match would overwrite it.
    const existing = await this.owner();
    if (existing !== null) return existing;
    await reaching(async () => {
      try {
        await this.#client.send(
          new PutObjectCommand({
            Bucket: this.#bucket,
            Key: this.#prefix + OWNER_OBJECT,
            Body: `${installation}\n`,
            ContentType: 'text/plain',
            IfNoneMatch: '*',
          }),
          this.#deadline(),
        );
      } catch (error) {
        // Another process was first: it has written the object (412) or is writing it (409).
        if (statusOf(error) !== 412 && statusOf(error) !== 409) throw error;
      }
    });
    return (await this.owner()) ?? installation;
  }

  /**
   * Compared only before keys are named: a clean-up removes what its database does not know. A bucket does not disappear
   * as a share does, so other operations save the request.
   */
  expectOwner(installation: string): void {
    this.#expectedOwner = installation;
  }

  async ping(): Promise<void> {
    await reaching(() => this.#list(this.#prefix, 1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    this.#downloads.end();
    this.#client.destroy();
    this.#downloadClient.destroy();
  }

  /** @throws {ProblemError} `unavailable` if the store does not belong to the expected installation */
  async #assertOwner(): Promise<void> {
    if (this.#expectedOwner === null || (await this.owner()) === this.#expectedOwner) return;
    throw contentUnavailable(new Error(`${this.location}${OWNER_OBJECT} is missing or has changed`));
  }

  #prefixOf(key: string): string {
    assertContentKey(key);
    return `${this.#prefix}${key}/`;
  }

  /** The key in an object's name. */
  #keyOf(name: string): string | null {
    const [key = ''] = name.slice(this.#prefix.length).split('/', 1);
    return isContentKey(key) ? key : null;
  }

  #deadline(): { abortSignal: AbortSignal } {
    return { abortSignal: AbortSignal.any([AbortSignal.timeout(REQUEST_DEADLINE_MS), this.#end.signal]) };
  }

  /** All pages of a list. Each request has its own deadline. */
  async *#pages(wanted: { Prefix: string; Delimiter?: string }): AsyncGenerator<ListObjectsV2CommandOutput> {
    let after: string | undefined;
    do {
      const request = { Bucket: this.#bucket, ...wanted, ContinuationToken: after };
      const page = await reaching(() =>
        this.#client.send(new ListObjectsV2Command(request), this.#deadline()),
      );
      yield page;
      const next = page.NextContinuationToken;
      if (next !== undefined && next === after) throw repeatedPart();
      after = next;
    } while (after !== undefined);
  }

  async #list(prefix: string, limit = DELETED_AT_A_TIME): Promise<string[]> {
    const { Contents = [] } = await this.#client.send(
      new ListObjectsV2Command({ Bucket: this.#bucket, Prefix: prefix, MaxKeys: limit }),
      this.#deadline(),
    );
    return Contents.flatMap(({ Key }) => Key ?? []);
  }

  /** Uploads of large files that were started but not completed. Empty for servers that cannot list them. */
  async *#uploads(prefix: string): AsyncGenerator<{ name: string; uploadId: string }> {
    let marker: { KeyMarker?: string; UploadIdMarker?: string } = {};
    while (true) {
      const request = new ListMultipartUploadsCommand({ Bucket: this.#bucket, Prefix: prefix, ...marker });
      const page = await this.#client.send(request, this.#deadline()).catch((error: unknown) => {
        if (statusOf(error) === 501 || statusOf(error) === 405) return null;
        throw error;
      });
      for (const { Key, UploadId } of page?.Uploads ?? []) {
        if (Key?.startsWith(prefix) && UploadId !== undefined) yield { name: Key, uploadId: UploadId };
      }
      if (page?.IsTruncated !== true || page.NextKeyMarker === undefined) return;
      const next = {
        KeyMarker: page.NextKeyMarker,
        ...(page.NextUploadIdMarker === undefined ? {} : { UploadIdMarker: page.NextUploadIdMarker }),
      };
      if (isDeepStrictEqual(next, marker)) throw repeatedPart();
      marker = next;
    }
  }
}

/** A list of a server that ignores where its next part begins would have no end. */
function repeatedPart(): ProblemError {
  return contentUnavailable(new Error('S3 returned the same part of a list again'));
}

function newClient(endpoint: string | null): S3Client {
  const client = new S3Client({
    maxAttempts: MAX_ATTEMPTS,
    streamCollector: collectorOf(MAX_RESPONSE_BYTES),
    // S3-compatible servers rarely have a host name for each bucket.
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    requestHandler: {
      connectionTimeout: CONNECT_DEADLINE_MS,
      socketTimeout: IDLE_DEADLINE_MS,
      httpAgent: { maxSockets: MAX_CONNECTIONS },
      httpsAgent: { maxSockets: MAX_CONNECTIONS },
    },
  });
  readCredentialsAgain(client);
  return client;
}
