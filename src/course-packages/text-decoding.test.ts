import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PackageError } from './package-error.ts';
import { decodeText } from './text-decoding.ts';

const XML = '<?xml version="1.0"?><title>Übung</title>';

function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

function read(bytes: Uint8Array) {
  const { guessed, pieces } = decodeText(bytes, 'cmi5.xml');
  return { text: [...pieces()].join(''), guessed };
}

describe('the text of a manifest', () => {
  const encodings: [what: string, bytes: Buffer, text: string, guessed: boolean][] = [
    ['UTF-8', Buffer.from(XML), XML, false],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${XML}`), XML, false],
    ['UTF-16 little-endian with a byte order mark', Buffer.from(`\ufeff${XML}`, 'utf16le'), XML, false],
    ['UTF-16 big-endian with a byte order mark', utf16be(`\ufeff${XML}`), XML, false],
    ['UTF-16 little-endian without one', Buffer.from(XML, 'utf16le'), XML, false],
    ['UTF-16 big-endian without one', utf16be(XML), XML, false],
    ['nothing at all', Buffer.alloc(0), '', false],
  ];
  for (const [what, bytes, text, guessed] of encodings) {
    it(`is read from ${what}`, () => assert.deepEqual(read(bytes), { text, guessed }));
  }

  it('is read in the encoding that its declaration names', () => {
    const latin1 = '<?xml version="1.0" encoding="ISO-8859-1"?><title>Übung</title>';
    assert.deepEqual(read(Buffer.from(latin1, 'latin1')), { text: latin1, guessed: false });
    const japanese = Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67]);
    const shiftJis = Buffer.concat([Buffer.from(`<?xml version='1.0' encoding='Shift_JIS'?>`), japanese]);
    assert.match(read(shiftJis).text, /テスト$/);
  });

  it('is read as Windows-1252 if it should be UTF-8 but is not', () => {
    for (const declaration of ['<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-8"?>', '']) {
      const bytes = Buffer.from(`${declaration}<title>Übung</title>`, 'latin1');
      assert.deepEqual(read(bytes), {
        text: `${declaration}<title>Übung</title>`,
        guessed: true,
      });
    }
  });

  it('is read as UTF-8 if it begins with that byte order mark, whatever it declares', () => {
    for (const encoding of ['ISO-8859-1', 'windows-1252', 'UTF-16', 'klingon']) {
      const text = `<?xml version="1.0" encoding="${encoding}"?><title>Übung</title>`;
      assert.deepEqual(read(Buffer.from(`\ufeff${text}`)), { text, guessed: false });
    }
  });

  it('does not include that byte order mark either if it is not UTF-8 after all', () => {
    for (const declaration of ['', '<?xml version="1.0" encoding="ISO-8859-1"?>']) {
      const text = `${declaration}<title>Übung</title>`;
      const bytes = Buffer.concat([Buffer.from('\ufeff'), Buffer.from(text, 'latin1')]);
      assert.deepEqual(read(bytes), { text, guessed: true });
    }
  });

  it('is the same when it is long, and comes in pieces', () => {
    const text = `${XML}${'aä😀'.repeat(50_000)}`;
    for (const bytes of [Buffer.from(text), Buffer.from(`\ufeff${text}`, 'utf16le'), utf16be(text)]) {
      assert.deepEqual(read(bytes), { text, guessed: false });
      assert.ok([...decodeText(bytes, 'cmi5.xml').pieces()].every((piece) => piece.length <= 64 * 1024));
    }
  });

  it('is read as UTF-8 if it declares UTF-16 in single bytes', () => {
    const text = '<?xml version="1.0" encoding="UTF-16"?><title>Übung</title>';
    assert.deepEqual(read(Buffer.from(text)), { text, guessed: false });
  });

  it('is refused if its encoding is unknown or does not match its bytes', () => {
    const unknown = Buffer.from('<?xml version="1.0" encoding="klingon"?><a/>');
    const halfCharacter = Buffer.concat([Buffer.from('\ufeff<a/>', 'utf16le'), Buffer.from([0])]);
    for (const bytes of [unknown, halfCharacter]) {
      assert.throws(
        () => decodeText(bytes, 'cmi5.xml'),
        (error) => error instanceof PackageError && error.code === 'MANIFEST_ENCODING',
      );
    }
  });
});
