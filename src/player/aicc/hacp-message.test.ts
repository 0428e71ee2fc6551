import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGroups, readHacp, readRows, readValues } from './hacp-message.ts';

const form = (data: string) => readHacp(`COMMAND=PutParam&session_id=+1+&aicc_data=${data}`).data;

test('a form of HACP is read in whichever encoding its escapes are', () => {
  assert.deepEqual(readHacp('Command=GetParam&SESSION%5FID=+a.b+'), {
    command: 'getparam',
    sessionId: 'a.b',
    data: '',
  });
  assert.equal(form('%C3%A4+%E2%82%ac'), 'ä €');
  assert.equal(form('%E4+b'), 'ä b');
  // Bytes that were sent unescaped, as one character each.
  assert.equal(form('\u00c3\u00a4'), 'ä');
  assert.equal(form('\u00e4%FC'), 'äü');
});

test('a text that JavaScript escaped with escape() is decoded like unescape() does', () => {
  for (const text of ['L’été', 'тест', '日本', '€', '1 + 1 = 2 – 😀', '%u0041 %41 т']) {
    assert.equal(form(escape(text)), text);
  }
  assert.equal(form('%U20ac'), '%U20ac', 'escape() writes a small u');
  assert.equal(form('x%uD83D'), 'x\ufffd', 'half of a character, which no response can contain');
  assert.equal(form('%25u0041'), '%u0041');
  // Text that was sent unescaped, in UTF-8.
  assert.equal(form('\u00c3\u00a4%u0041'), 'ä%u0041');
});

test('a text that JavaScript escaped with escape() may have a plus for each space, as jQuery sends it', () => {
  const asSpaces = (escaped: string) => escaped.replaceAll('%20', '+');
  assert.equal(form(asSpaces(escape('L’été, page 3'))), 'L’été, page 3');
  const withPlus = 'a+b т c';
  assert.equal(form(asSpaces(escape(withPlus).replaceAll('+', '%2B'))), withPlus);
  assert.equal(form(escape(withPlus).replaceAll('+', '%2B')), withPlus);
});

test('a text that is not an escape is unchanged', () => {
  assert.equal(form('100%u %u12 %u12xy'), '100%u %u12 %u12xy');
  assert.equal(form('100%'), '100%');
  assert.equal(form('100%+of+%zz%4'), '100% of %zz%4');
  assert.equal(form('%2525'), '%25');
});

test('a command may have blanks around it and any case', () => {
  assert.equal(readHacp('command=+GETPARAM%0D%0A').command, 'getparam');
});

test('a group may be continued later, and its lines may end in any way', () => {
  const groups = readGroups('[Core]\rA=1\n[Core_Lesson]\r\nx\r\r[odd]\n [CORE] \nB=2');
  assert.deepEqual(groups.get('core'), ['A=1', 'B=2']);
  assert.deepEqual(groups.get('core_lesson'), ['x', '', '[odd]']);
});

test('rows may hold commas, line ends and quotation marks between quotation marks', () => {
  assert.deepEqual(readRows('"A", b ,"c"\r\n"1,2","say ""x""", 3 \n\n4', 10), [
    { a: '1,2', b: 'say "x"', c: '3' },
    { a: '4', b: '', c: '' },
  ]);
  assert.deepEqual(readRows('a,b,c\n"open,2,"" x', 10), [{ a: '"open', b: '2', c: '' }]);
  assert.deepEqual(readRows('a,b\n"1" rest,2,3', 10), [{ a: '1', b: '2' }]);
});

test('a group of more values, lines or cells than any course has is refused', () => {
  const values = (count: number) => Array.from({ length: count }, (_, n) => `j_id.${n}=x`);
  assert.equal(readValues(values(10_000)).size, 10_000);
  assert.throws(() => readValues(values(10_001)), /more than 10000 values/);
  assert.throws(() => readGroups('\n'.repeat(600_001)), /more than 600000 lines/);
  const columns = Array.from({ length: 100 }, (_, n) => `c${n}`).join();
  assert.equal(readRows(`${columns}\n${'x\n'.repeat(1_500)}`, 5_000).length, 1_500);
  assert.throws(() => readRows(`${columns}\n${'x\n'.repeat(1_501)}`, 5_000), /more than 150000 cells/);
});
