import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRecords, parseSection, parseTable } from './aicc-tables.ts';

const MANY = 1000;

/** A text in pieces of a given length. */
function inPieces(text: string, characters: number) {
  return { pieces: () => text.match(new RegExp(`[\\s\\S]{1,${characters}}`, 'g')) ?? [] };
}

/** The rows of a table, which do not depend on how its text is cut into pieces. */
function rows(text: string): Record<string, string>[] | null {
  const columns =
    parseRecords(inPieces(text, text.length + 1), MANY)?.[0]?.map((name) => name.toLowerCase()) ?? [];
  const [whole, ...cut] = [text.length + 1, 1, 2, 3, 7].map(
    (characters) =>
      parseTable(inPieces(text, characters), MANY)?.map((row) =>
        Object.fromEntries(columns.map((column) => [column, row.get(column)!])),
      ) ?? null,
  );
  for (const each of cut) assert.deepEqual(each, whole);
  return whole!;
}

function section(text: string, characters = 64 * 1024) {
  return parseSection(inPieces(text, characters), 'Course');
}

describe('a section of an AICC description', () => {
  it('has its members by lower-case name, with any line ends and blanks', () => {
    const text =
      '; edited manually\r\n [COURSE] \r\nCourse_Title = A = B \r;Course_ID=no\nCOURSE_ID=7\n[Course_Description]\nCourse_ID=8';
    for (const characters of [1, 2, 1_000])
      assert.deepEqual(Object.fromEntries(section(text, characters)), {
        course_title: 'A = B',
        course_id: '7',
      });
  });

  it('does not include the end-of-file character of DOS', () => {
    for (const characters of [1, 2, 1_000])
      assert.equal(section('[Course]\nCourse_ID=7\x1a\x1a', characters).get('course_id'), '7');
  });

  it('is empty if it is missing', () => {
    assert.equal(section('Course_Title=A').size, 0);
  });

  it('is read in time proportional to its length', () => {
    assert.equal(section(`[Course]\n${' '.repeat(1_000_000)}x\n`.repeat(4)).size, 0);
  });
});

describe('an AICC table', () => {
  it('has rows by lower-case column name', () => {
    assert.deepEqual(rows('"System_ID","Title"\r\n"A1","One"\r\n"A2","Two"\r\n'), [
      { system_id: 'A1', title: 'One' },
      { system_id: 'A2', title: 'Two' },
    ]);
  });

  it('may quote or not, with blanks around, commas, line breaks and quotes within', () => {
    assert.deepEqual(rows('a, b ,"c" ,d\n  "x, ""y""\nz" , plain text , "" ,last'), [
      { a: 'x, "y"\nz', b: 'plain text', c: '', d: 'last' },
    ]);
  });

  it('may have any line ends, blank lines, short and long rows, and an open quote at the end', () => {
    assert.deepEqual(rows('a,b\r\r\n\n1\r2,3,4\n,,\n"5'), [
      { a: '1', b: '' },
      { a: '2', b: '3' },
      { a: '5', b: '' },
    ]);
  });

  it('may end with end-of-file characters of DOS, which a text can also contain', () => {
    for (const end of ['\x1a', '\r\n\x1a', '\r\n\x1a\x1a\x1a'])
      assert.deepEqual(rows(`a,b\r\n1,2\x1a\r\n3,4${end}`), [
        { a: '1', b: '2\x1a' },
        { a: '3', b: '4' },
      ]);
    assert.deepEqual(rows('\x1a'), []);
  });

  it('may be empty', () => {
    assert.deepEqual(rows(''), []);
    assert.deepEqual(rows('a,b\n'), []);
  });

  it('ends a quoted field at its quote, and ignores what follows it up to the comma', () => {
    assert.deepEqual(rows('a,b\n"1" "2" 3,"4""5"'), [{ a: '1', b: '4"5' }]);
  });

  it('may have a field of 65,536 characters, but no longer one, quoted or not', () => {
    for (const quote of ['', '"']) {
      for (const characters of [100, 64 * 1024, 1_000_000]) {
        const table = (length: number) =>
          parseTable(inPieces(`a,b\n1,${quote}${'x'.repeat(length)}${quote}\n`, characters), MANY);
        assert.equal(table(65_536)?.[0]?.get('b')?.length, 65_536);
        assert.equal(table(65_537), null);
      }
    }
  });

  it('is read in time proportional to its length, whatever is long in it', () => {
    const long = 2_000_000;
    assert.equal(parseTable(inPieces(`a\n${' '.repeat(long)}1`, 1_000), MANY)?.length, 1);
    assert.equal(parseTable(inPieces(`a\n"1"${'x'.repeat(long)}`, 1_000), MANY)?.length, 1);
    assert.equal(parseTable(inPieces(`a\n${'"'.repeat(long)}`, 1_000), MANY), null);
  });

  it('is refused with more fields than allowed, where a short row counts as a full one', () => {
    assert.equal(parseTable(inPieces('a,b,c\n1,2,3', 2), 5), null);
    assert.equal(parseTable(inPieces('a,b,c\n1', 2), 5), null);
    assert.equal(parseTable(inPieces('a,b,c\n1', 2), 6)?.length, 1);
  });
});
