import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder that `npm run build:ui` writes. */
export const UI_BUILD_FOLDER = path.join(import.meta.dirname, '../../web/dist');

const BASE_PLACEHOLDER = '__BASE__';
const NONCE_PLACEHOLDER = '__NONCE__';
const INLINE_SCRIPT = /<script>([\s\S]*?)<\/script>/g;

/** The built admin UI: its page, which is completed for each response, and the folder of its other files. */
export interface UiBuild {
  /** Scripts, styles and pictures. Their names contain a hash of their contents. */
  readonly assetsFolder: string;
  /** The hashes of inline scripts, in the form of a content security policy. */
  readonly inlineScriptHashes: readonly string[];
  /** The page. `base` is the path of the UI as the browser sees it, with a slash at its end. */
  page(base: string, styleNonce: string): string;
}

/** Reads the output of `npm run build:ui`; null if there is none. */
export function readUiBuild(folder: string): UiBuild | null {
  const file = path.join(folder, 'index.html');
  if (!existsSync(file)) return null;
  const template = readFileSync(file, 'utf8');
  return {
    assetsFolder: path.join(folder, 'assets'),
    inlineScriptHashes: Array.from(
      template.matchAll(INLINE_SCRIPT),
      ([, script]) => `'sha256-${hash('sha256', script ?? '', 'base64')}'`,
    ),
    page: (base, styleNonce) =>
      // With functions, because `$&` and the like in a path are not replacement patterns.
      template.replaceAll(BASE_PLACEHOLDER, () => base).replaceAll(NONCE_PLACEHOLDER, () => styleNonce),
  };
}
