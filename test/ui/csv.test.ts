import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readLearnerRows } from '../../web/src/pages/registrations/many/learner-rows.ts';
import { toCsv } from '../../web/src/utilities/csv.ts';
import { textOf } from '../../web/src/utilities/exported-text.ts';

const ids = (text: string) => readLearnerRows(text).learners.map(({ id }) => id);
const faults = (text: string) => readLearnerRows(text).faulty.map(({ row, fault }) => `${row}: ${fault}`);

describe('records as CSV', () => {
  it('have the values of arrays in one column, as JSON if they are objects', () => {
    const csv = toCsv([{ id: 1, scopes: ['a', 'b'], changes: [{ field: 'name', to: 'CRM' }] }]);
    assert.deepEqual(csv.split('\r\n'), [
      '\ufeffid,scopes,changes',
      '1,a b,"[{""field"":""name"",""to"":""CRM""}]"',
    ]);
  });
});

describe('text that a spreadsheet would run as a formula', () => {
  it('gets an apostrophe, whatever comes after its first character', () => {
    const formulas = ['=1', '+1', '-1', '@a', '＝1', '＋1', '－1', '＠a', '\t=1', '\r=1', '\n=1'];
    const endings = ['', '\n', 'a\r\nb', '\u2028', '\u2029b'];
    for (const formula of formulas) {
      for (const ending of endings) {
        const csv = toCsv([{ name: formula + ending }]);
        assert.match(csv, /^\ufeffname\r\n"?'[^']/, JSON.stringify(formula + ending));
      }
    }
    assert.equal(toCsv([{ name: 'a=1', count: -1 }]), '\ufeffname,count\r\na=1,-1');
  });

  it('gets one in every cell that another separator or a line break makes of it', () => {
    const formulas = ['=1', '+1', '-1', '@a', '＝1'];
    for (const separator of [';', '\t', '\n', '\r\n', ';;']) {
      for (const formula of formulas) {
        for (const text of [`x${separator}${formula}`, `x${separator}"${formula}${separator}"`]) {
          const csv = toCsv([{ id: 7, name: text, names: [text] }]);
          for (const cell of csv.split(/[;\t\r\n]/))
            assert.doesNotMatch(cell, /^"*[=+\-@＝]/, JSON.stringify(text));
        }
      }
    }
    const harmless = 'a;b -c;7';
    assert.equal(toCsv([{ name: harmless }]), `\ufeffname\r\n${harmless}`);
  });
});

describe('an exported list of registrations, read as a list of learners', () => {
  it('has the same learners, even those whose ids begin like a formula', () => {
    const learners = [
      '+4917012345',
      '@bob',
      '-17',
      '=x',
      '＠a',
      'ann',
      "o'hara",
      "'-17",
      "''@bob",
      "'ann",
      'a;-b',
      "a;'=b",
    ];
    const csv = toCsv(learners.map((id, at) => ({ registration_id: at, learner_id: id })));
    assert.deepEqual(ids(csv), learners);
    assert.deepEqual(faults(csv), []);
  });
});

describe('an exported text', () => {
  it('is read as it was, whatever it contains', () => {
    const letters = fc.constantFrom("'", '"', '=', '-', '＋', ';', ',', '\t', '\n', '\r\n', 'a', ' ');
    const text = fc.array(letters, { minLength: 1, maxLength: 12 }).map((each) => each.join(''));
    fc.assert(
      fc.property(text, (name) => {
        const cell = toCsv([{ id: 1, name }]).slice('\ufeffid,name\r\n1,'.length);
        const exported = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
        assert.equal(textOf(exported), name);
      }),
    );
  });
});

describe('an empty list as CSV', () => {
  it('is an empty file, and no error', () => {
    assert.equal(toCsv([]), '\ufeff');
  });
});

describe('a list of learners', () => {
  it('has one learner per line, whatever ends the lines', () => {
    assert.deepEqual(ids('ada\r\n grace \nalan\r\n\n'), ['ada', 'grace', 'alan']);
  });

  it('may be CSV with any of three delimiters, quotes, and a column learner_id anywhere', () => {
    assert.deepEqual(ids('\ufeffname,learner_id\n"Lovelace, Ada",ada\n"Hopper, Grace","gr""ace"'), [
      'ada',
      'gr"ace',
    ]);
    assert.deepEqual(ids('Learner ID;city\nada;London'), ['ada']);
    assert.deepEqual(ids('city\tlearner\nLondon\tada'), ['ada']);
  });

  it('has no ids that a separator without quotes has cut', () => {
    const fault =
      'has more cells than the header row. Put values that contain a comma, semicolon or tab in quotes';
    for (const separator of [',', ';', '\t']) {
      const rows = [
        ['learner_id', 'city'],
        ['grace', 'Paris'],
        ['cn=ada', 'ou=a', 'London'],
      ];
      const text = rows.map((cells) => cells.join(separator)).join('\n');
      assert.deepEqual(ids(text), ['grace'], separator);
      assert.deepEqual(faults(text), [`3: ${fault}`], separator);
    }
    assert.deepEqual(faults('learner_id\ngrace\ncn=ada,ou=a'), [`3: ${fault}`]);
    assert.deepEqual(faults('name,learner_id\nLovelace, Ada,ada'), [`2: ${fault}`]);
    assert.deepEqual(ids('learner_id\ngrace\n"cn=ada,ou=a"'), ['grace', 'cn=ada,ou=a']);
  });

  it('may have empty cells at the ends of its rows, as spreadsheets write them', () => {
    const text = 'learner_id,name\nada,Ada,,\ngrace,Grace, ,';
    assert.deepEqual(ids(text), ['ada', 'grace']);
    assert.deepEqual(faults(text), []);
  });

  it('reports the fault of each row by the line number that an editor shows', () => {
    assert.deepEqual(faults(`ada\n\nada\n${'x'.repeat(256)}\na,b\nbell\u0007`), [
      '2: has no learner id',
      '3: repeats row 1',
      '4: is longer than 255 characters',
      '5: has several columns. Add a header row with a column learner_id',
      '6: contains control characters',
    ]);
    assert.deepEqual(faults('learner_id,name\nada,Ada\n,Nobody\nada,Ada'), [
      '3: has no learner id',
      '4: repeats row 2',
    ]);
  });

  it('has no ids with the mark of a character that could not be read', () => {
    assert.deepEqual(readLearnerRows('M\ufffdller\nada').learners, [{ row: 2, id: 'ada' }]);
    assert.deepEqual(faults('M\ufffdller\nM\ufffdller'), [
      '1: contains �, which replaces a character that could not be read',
      '2: contains �, which replaces a character that could not be read',
    ]);
  });

  it('has the ids that the service accepts: it counts characters, and refuses the control characters of ASCII', () => {
    const emoji = '🎓'.repeat(255);
    assert.deepEqual(ids(`${emoji}\nada\u0085\u009f.`), [emoji, 'ada\u0085\u009f.']);
    assert.deepEqual(faults(`${emoji}x\nbell\u007f.`), [
      '1: is longer than 255 characters',
      '2: contains control characters',
    ]);
  });

  it('may be empty', () => {
    assert.deepEqual(readLearnerRows(' \n\n'), { learners: [], faulty: [] });
  });
});

describe('an exported list', () => {
  it('has a column for each member, nested ones too', () => {
    const csv = toCsv([
      { id: 1, name: 'Ä "quoted", name', line: { status: 'EMPTY', depth: 0 }, subtopics: ['A', 'B'] },
      { id: 2, name: null, line: null, extra: true },
    ]);
    assert.equal(
      csv,
      '\ufeffid,name,line.status,line.depth,subtopics,line,extra\r\n' +
        '1,"Ä ""quoted"", name",EMPTY,0,A B,,\r\n2,,,,,,true',
    );
  });

  it('contains no formulas', () => {
    const names = ['=HYPERLINK("https://x")', '+1', '-1', '@SUM(A1)', '\t=1'];
    const lines = toCsv(names.map((name) => ({ name })))
      .split('\r\n')
      .slice(1);
    for (const line of lines) assert.match(line, /^"?'/, line);
  });

  it('keeps negative numbers as numbers', () => {
    assert.equal(toCsv([{ score: -3 }]).split('\r\n')[1], '-3');
  });
});
