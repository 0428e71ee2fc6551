import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PackageError, packageError, quoted } from './package-error.ts';

describe('a text from a package, quoted for a message', () => {
  it('is unchanged if it is harmless', () => {
    assert.equal(quoted('My Course/café.html'), '"My Course/café.html"');
  });

  it('shows control, formatting and line-separating characters as escapes', () => {
    assert.equal(
      quoted('a\n\u001b[31m\u202egpj\u2028.exe\ud800'),
      '"a\\u{a}\\u{1b}[31m\\u{202e}gpj\\u{2028}.exe\\u{d800}"',
    );
  });

  it('is truncated if it is long, never within a character', () => {
    assert.equal(quoted('😀'.repeat(100)), `"${'😀'.repeat(100)}"`);
    assert.equal(quoted('😀'.repeat(101)), `"${'😀'.repeat(100)}…"`);
    assert.equal(quoted('x'.repeat(1_000_000)), `"${'x'.repeat(100)}…"`);
  });
});

describe('a package error', () => {
  it('has its code, a message that names the file, and its cause', () => {
    const cause = new Error('invalid distance too far back');
    const error = packageError('FILE_DAMAGED', { file: 'a\0.html' }, { cause });
    assert.ok(error instanceof PackageError);
    assert.equal(error.name, 'PackageError');
    assert.equal(error.code, 'FILE_DAMAGED');
    assert.match(error.message, /"a\\u\{0\}\.html" is damaged/);
    assert.equal(error.cause, cause);
  });
});
