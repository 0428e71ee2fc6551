import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { ContentStore } from '../../../src/content/files/content-store.ts';
import { FolderContentStore } from '../../../src/content/files/folder-content-store.ts';
import { S3ContentStore } from '../../../src/content/files/s3-content-store.ts';
import { startS3 } from '../../support/s3.ts';
import { temporaryFolder } from '../../support/service.ts';

/** Files of a folder, by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A place for course files. Each instance opens its own store on it. */
export interface TestPlace extends AsyncDisposable {
  open(): ContentStore;
  /** Makes a folder with these files, to be put into a store. */
  stage(files: Files): string;
  /** Writes a file directly, as an interrupted upload leaves it. */
  plant(name: string, text: string): Promise<void>;
}

/** Every kind of content store, by name. */
export const CONTENT_STORES: Readonly<Record<string, () => Promise<TestPlace>>> = {
  'in a folder': async () => {
    const stack = new AsyncDisposableStack();
    const root = stack.use(temporaryFolder()).path;
    const folder = path.join(root, 'content');
    mkdirSync(folder);
    return {
      open: () => stack.use(new FolderContentStore(folder)),
      stage: (files) => stageFiles(root, files),
      plant: async (name, text) => {
        mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
        writeFileSync(path.join(folder, name), text);
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  },
  'on S3': async () => {
    const stack = new AsyncDisposableStack();
    const root = stack.use(temporaryFolder()).path;
    const { bucket, endpoint } = stack.use(await startS3());
    const prefix = 'some/where/';
    const client = new S3Client({ endpoint, forcePathStyle: true });
    stack.defer(() => client.destroy());
    return {
      open: () => stack.use(new S3ContentStore({ bucket, prefix, endpoint })),
      stage: (files) => stageFiles(root, files),
      plant: async (name, text) => {
        await client.send(new PutObjectCommand({ Bucket: bucket, Key: prefix + name, Body: text }));
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  },
};

/** Writes files into a new folder below `root` and returns its path. */
export function stageFiles(root: string, files: Files): string {
  const folder = mkdtempSync(path.join(root, 'staged-'));
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}
