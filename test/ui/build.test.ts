import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { UI_BUILD_FOLDER } from '../../src/ui/ui-build.ts';

interface Chunk {
  file: string;
  imports?: string[];
  isEntry?: boolean;
  isDynamicEntry?: boolean;
}

const manifest = JSON.parse(
  readFileSync(path.join(UI_BUILD_FOLDER, '.vite', 'manifest.json'), 'utf8'),
) as Record<string, Chunk>;

/** A chunk and all chunks that are loaded together with it, but not those that are loaded when a page is opened. */
function loadedWith(name: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[name]!;
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const imported of chunk.imports ?? []) loadedWith(imported, found);
  return found;
}

const entry = Object.entries(manifest).find(([, chunk]) => chunk.isEntry === true)![0];
const first = loadedWith(entry);

describe('the build of the admin UI', () => {
  it('loads each page only when it is opened', () => {
    const pages = Object.keys(manifest).filter((name) => /^src\/pages\/.*-page\.tsx$/.test(name));
    assert.ok(pages.length >= 10, `${pages.length} pages`);
    for (const page of pages) {
      assert.equal(manifest[page]!.isDynamicEntry, true, page);
      assert.ok(!first.has(manifest[page]!.file), `${page} is part of the first load`);
    }
  });

  it('loads nothing from another origin', () => {
    const html = readFileSync(path.join(UI_BUILD_FOLDER, 'index.html'), 'utf8');
    assert.doesNotMatch(html, /(?:src|href)="(?:https?:)?\/\//);
    for (const style of globSync('assets/*.css', { cwd: UI_BUILD_FOLDER })) {
      const text = readFileSync(path.join(UI_BUILD_FOLDER, style), 'utf8');
      assert.doesNotMatch(text, /url\(\s*['"]?(?:https?:)?\/\//, style);
      assert.doesNotMatch(text, /@import/, style);
    }
  });
});
