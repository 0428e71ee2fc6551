import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSection, parseTable } from './aicc-tables.ts';

const MANY = 1000;

function rows(text: string): Record<string, string>[] | null {
  return parseTable(text, MANY)?.map((row) => Object.fromEntries(row)) ?? null;
}

describe('a section of an AICC description', () => {
  it('has its members by lower-case name, with whatever line ends and blanks', () => {
    const text =
      '; made by hand\r\n [COURSE] \r\nCourse_Title = A = B \r;Course_ID=no\nCOURSE_ID=7\n[Course_Description]\nCourse_ID=8';
    assert.deepEqual(Object.fromEntries(parseSection(text, 'Course')), {
      course_title: 'A = B',
      course_id: '7',
    });
  });

  it('is empty when it is not there', () => {
    assert.equal(parseSection('Course_Title=A', 'Course').size, 0);
  });

  it('is read in time proportional to its length', () => {
    assert.equal(parseSection(`[Course]\n${' '.repeat(1_000_000)}x\n`.repeat(4), 'Course').size, 0);
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

  it('may be empty', () => {
    assert.deepEqual(rows(''), []);
    assert.deepEqual(rows('a,b\n'), []);
  });

  it('is refused with more fields than allowed, where a short row counts as a full one', () => {
    assert.equal(parseTable('a,b,c\n1,2,3', 5), null);
    assert.equal(parseTable('a,b,c\n1', 5), null);
    assert.equal(parseTable('a,b,c\n1', 6)?.length, 1);
  });
});
