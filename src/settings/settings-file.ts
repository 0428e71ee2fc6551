import { closeSync, openSync, readSync } from 'node:fs';
import { isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { KIB } from '../bytes.ts';
import type { SettingProblem } from './settings-error.ts';

/** The largest configuration file that is read. */
const MAX_SETTINGS_FILE_BYTES = 256 * KIB;

/** One mistake makes the YAML parser report many; the first ones are the most useful. */
const MAX_YAML_FAULTS = 5;

/** A value in the file: maps are `Map`s, lists are arrays. */
export interface FileSetting {
  readonly value: unknown;
  readonly line: number;
}

/** The settings in a configuration file, and its YAML errors. */
export interface SettingsFile {
  readonly settings: ReadonlyMap<string, FileSetting>;
  readonly problems: readonly SettingProblem[];
}

/**
 * Reads a YAML 1.2 file whose members are settings; names and values are not checked here. Problems name a line and
 * never quote the file, which may contain secrets.
 */
export function readSettingsFile(path: string): SettingsFile {
  const settings = new Map<string, FileSetting>();
  const problems: SettingProblem[] = [];
  const problem = (text: string) => problems.push({ setting: null, text });

  try {
    const content = readBounded(path);
    if (content === undefined) {
      problem(`The configuration file ${path} is larger than ${MAX_SETTINGS_FILE_BYTES} bytes.`);
    } else {
      readYaml(content, settings, (line, what) => problem(`Line ${line} of ${path} ${what}.`));
    }
  } catch (error) {
    problem(`The configuration file ${path} cannot be read: ${reason(error)}.`);
  }
  return { settings, problems };
}

function readYaml(
  content: string,
  settings: Map<string, FileSetting>,
  problem: (line: number, what: string) => void,
): void {
  const lines = new LineCounter();
  const lineAt = (offset: number | undefined) => Math.max(lines.linePos(offset ?? 0).line, 1);
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const faults = new Set(
    [...document.errors, ...document.warnings].map(
      ({ code, pos }) => `${lineAt(pos[0])} ${code.toLowerCase().replaceAll('_', ' ')}`,
    ),
  );
  for (const fault of [...faults].slice(0, MAX_YAML_FAULTS)) {
    const [line, ...what] = fault.split(' ');
    problem(Number(line), `cannot be read as YAML (${what.join(' ')})`);
  }
  let aliases = 0;
  visit(document, {
    Alias: (_, node) => {
      aliases += 1;
      problem(
        lineAt(node.range?.[0]),
        'has an alias (*name), which is not supported; text with a * needs quotes',
      );
    },
  });
  if (faults.size > 0 || aliases > 0 || document.contents === null) return;
  if (!isMap(document.contents)) {
    // An empty document with only a comment or `---` is one scalar: null.
    if (isScalar(document.contents) && document.contents.value === null) return;
    problem(1, 'does not start a map of settings (name: value)');
    return;
  }

  for (const { key, value } of document.contents.items) {
    if (!isScalar(key) || typeof key.value !== 'string') {
      problem(lineAt(isScalar(key) ? key.range?.[0] : undefined), 'has a setting whose name is not text');
    } else {
      settings.set(key.value, {
        line: lineAt(key.range[0]),
        value: value?.toJS(document, { mapAsMap: true }) ?? null,
      });
    }
  }
}

/**
 * The text of a file, or undefined if it is longer than allowed, regardless of the size that the file system reports.
 */
function readBounded(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(MAX_SETTINGS_FILE_BYTES + 1);
    let length = 0;
    while (length < buffer.length) {
      const read = readSync(file, buffer, length, buffer.length - length, null);
      if (read === 0) break;
      length += read;
    }
    if (length > MAX_SETTINGS_FILE_BYTES) return undefined;
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, length));
  } finally {
    closeSync(file);
  }
}

const REASONS = new Map([
  ['ENOENT', 'the file does not exist'],
  ['EACCES', 'permission denied'],
  ['EISDIR', 'it is a folder'],
  ['ERR_ENCODING_INVALID_ENCODED_DATA', 'it is not UTF-8 text'],
]);

function reason(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS.get(code) ?? (code === '' ? 'it is not YAML' : code);
}
