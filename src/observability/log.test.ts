import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { DEADLINE_MS } from '../../test/support/deadline.ts';
import {
  type HeldProgram,
  OUTPUT_KINDS,
  type OutputKind,
  startHeld,
  whyNot,
} from '../../test/support/held-output.ts';
import type { LogLine } from '../../test/support/logs.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { LOG_LEVELS, type LogLevel } from '../settings/log-level.ts';
import { createLogs, type Logger } from './log.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const LINE_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

interface Line {
  readonly time: string;
  readonly level: string;
  readonly class: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

function logsInto(lines: Line[], level: LogLevel, customLevels: Record<string, LogLevel> = {}) {
  return createLogs({
    level,
    customLevels,
    now: () => NOW,
    destination: {
      write: (line) => {
        assert.ok(line.endsWith('\n') && line.indexOf('\n') === line.length - 1, 'one line a call');
        lines.push(JSON.parse(line));
      },
    },
  });
}

/** The levels of the lines that a logger writes when it is given one line at each level. */
function writtenLevels(lines: Line[], logger: Logger): string[] {
  lines.length = 0;
  for (const level of LINE_LEVELS) logger[level]('a line');
  return lines.map((line) => line.level);
}

describe('log lines', () => {
  it('contain only time, level in words, class, text and fields', () => {
    const lines: Line[] = [];
    logsInto(lines, 'info').for('CourseService').warn('100% done\nreally', { course_id: 7 });
    assert.deepEqual(lines, [
      {
        level: 'warn',
        time: '2026-01-02T03:04:05.678Z',
        class: 'CourseService',
        course_id: 7,
        msg: '100% done\nreally',
      },
    ]);
  });

  it('never hold a credential', () => {
    const lines: Line[] = [];
    const basic = Buffer.from('key:hunter2').toString('base64');
    logsInto(lines, 'trace')
      .for('TokenEndpoint')
      .info(`refused Basic ${basic}`, {
        headers: { authorization: `Basic ${basic}` },
        form: { client_secret: 'hunter2' },
        err: new Error('secret=hunter2'),
      });
    assert.equal(lines.length, 1);
    const text = JSON.stringify(lines);
    assert.ok(!text.includes('hunter2') && !text.includes(basic), text);
  });

  it('hold the stack of an error only where the class writes at debug level', () => {
    const lines: Line[] = [];
    const logs = logsInto(lines, 'info', { Loud: 'debug', Quiet: 'error' });
    for (const name of ['Loud', 'Quiet', 'Other']) {
      logs.for(name).error('failed', { err: new RangeError('too long') });
    }
    assert.deepEqual(
      lines.map((line) => {
        const { type, message, stack } = line.err as Record<string, unknown>;
        return { class: line.class, type, message, stack: typeof stack };
      }),
      [
        { class: 'Loud', type: 'RangeError', message: 'too long', stack: 'string' },
        { class: 'Quiet', type: 'RangeError', message: 'too long', stack: 'undefined' },
        { class: 'Other', type: 'RangeError', message: 'too long', stack: 'undefined' },
      ],
    );
  });

  it('hold the stack of an error, at any level, if it ends the service or is a bug', () => {
    const lines: Line[] = [];
    const log = logsInto(lines, 'error').for('Service');
    log.fatal('ends', { error: new TypeError('secret=hunter2') });
    log.error('failed', { error: new TypeError('broken') }, { stack: true });
    const stacks = lines.map((line) => String((line.error as { stack?: string }).stack));
    assert.deepEqual(
      stacks.map((stack) => stack.split('\n', 1)[0]),
      ['TypeError: secret=[censored]', 'TypeError: broken'],
    );
    for (const stack of stacks) assert.match(stack, /log\.test\.ts/);
  });
});

describe('log levels', () => {
  for (const [index, level] of LOG_LEVELS.entries()) {
    it(`${level} writes its own lines and more severe ones`, () => {
      const lines: Line[] = [];
      const logger = logsInto(lines, level).for('Any');
      assert.deepEqual(writtenLevels(lines, logger), LINE_LEVELS.slice(index));
      for (const line of LINE_LEVELS) {
        assert.equal(logger.isEnabled(line), LINE_LEVELS.indexOf(line) >= index);
      }
    });
  }

  it('of a class may be more or less verbose than the general one, and do not affect other classes', () => {
    const lines: Line[] = [];
    const logs = logsInto(lines, 'warn', { Loud: 'trace', Quiet: 'fatal', Silent: 'silent' });
    assert.deepEqual(writtenLevels(lines, logs.for('Loud')), [...LINE_LEVELS]);
    assert.deepEqual(writtenLevels(lines, logs.for('Quiet')), ['fatal']);
    assert.deepEqual(writtenLevels(lines, logs.for('Silent')), []);
    assert.deepEqual(writtenLevels(lines, logs.for('Other')), ['warn', 'error', 'fatal']);
    assert.deepEqual(['Loud', 'Quiet', 'Other', 'constructor'].map(logs.levelOf), [
      'trace',
      'fatal',
      'warn',
      'warn',
    ]);
    assert.equal(logs.level, 'warn');
  });

  it('do not affect a logger that always writes', () => {
    for (const level of LOG_LEVELS) {
      const lines: Line[] = [];
      const logs = logsInto(lines, level, { Set: 'silent' });
      assert.deepEqual(writtenLevels(lines, logs.always('Set')), [...LINE_LEVELS]);
      assert.deepEqual(writtenLevels(lines, logs.always('Unset')), [...LINE_LEVELS]);
    }
  });
});

/**
 * Somewhat more lines than an output holds while nobody reads it. A program that ends waits only two seconds for its
 * reader, in which a slow machine cannot read many.
 */
const LINES_AT_END: Record<OutputKind, number> = { pipe: 1_000, socket: 2_000, terminal: 500 };

describe('standard output', () => {
  const make = `
    import { createLogs } from './log.ts';
    const log = createLogs({ level: 'info', customLevels: {} }).for('Any');`;
  const start = (kind: OutputKind, script: string) =>
    startHeld(kind, ['--input-type=module', '--eval', script], { cwd: import.meta.dirname });
  const readAll = async (program: HeldProgram) => {
    const lines: LogLine[] = [];
    for await (const line of program.read()) lines.push(line);
    return lines;
  };
  const fill = `for (let i = 0; i < 200; i++) log.info('x'.repeat(100_000));`;
  const fail = `log.fatal('it ends', { error: new Error('the cause') }); process.exit(1);`;
  const say = (text: string) => `process.stderr.write('${text}\\n');`;

  for (const kind of OUTPUT_KINDS) {
    describe(`that is a ${kind}`, { skip: whyNot(kind) }, () => {
      it('has every line even if the process ends immediately', async () => {
        using program = start(
          kind,
          `${make} for (let i = 1; i <= ${LINES_AT_END[kind]}; i++) log.info('line ' + i); process.exit(0);`,
        );
        const lines = await readAll(program);
        assert.equal(lines.length, LINES_AT_END[kind]);
        assert.equal(lines.at(-1)?.msg, `line ${LINES_AT_END[kind]}`);
      });

      it('has every line in order if its reader pauses', async () => {
        using program = start(
          kind,
          `${make} for (let i = 1; i <= 20_000; i++) log.info('line ' + i); setTimeout(() => { ${say('paused')} }, 20);
           process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1_000);`,
        );
        await program.said('paused');
        const lines: LogLine[] = [];
        for await (const line of program.read()) {
          lines.push(line);
          // At its end, the program would not wait for a slow reader.
          if (lines.length === 20_000) program.child.kill('SIGTERM');
        }
        assert.deepEqual(
          lines.map((line) => line.msg),
          Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`),
        );
      });

      it('that nobody reads stops neither the service nor its end', async () => {
        using program = start(
          kind,
          `${make} const lines = setInterval(() => log.info('x'.repeat(100_000)), 1);
         process.on('SIGTERM', () => { clearInterval(lines); process.removeAllListeners('SIGTERM'); });
         setTimeout(() => { ${say('still here')} }, 100);`,
        );
        await program.said('still here');
        program.child.kill('SIGTERM');
        assert.equal(await program.exitCode, 0);
      });

      it('says once how many lines were lost while nobody read it', async () => {
        using program = start(
          kind,
          `${make} ${fill} ${say('full')}
         process.on('SIGTERM', () => { log.info('last'); process.exit(0); }); setInterval(() => {}, 1_000);`,
        );
        await program.said('full');
        const read: LogLine[] = [];
        for await (const line of program.read()) {
          read.push(line);
          if (line.level === 'error') program.child.kill('SIGTERM');
        }
        const kept = read.findIndex((line) => line.level === 'error');
        const lost = Number(read[kept]?.lines);
        assert.match(String(read[kept]?.msg), /did not accept lines of the log/);
        assert.ok(kept > 100 && lost > 0, `${kept} kept`);
        assert.deepEqual(
          read.slice(kept + 1).map((line) => line.msg),
          ['last'],
        );
        assert.equal(kept + lost, 200);
      });

      it('that nobody reads does not hide why the service ends: standard error says it', async () => {
        using program = start(kind, `${make} ${fill} ${fail}`);
        const [errors, code] = [await program.errors(), await program.exitCode];
        const { level, msg, error, ...rest } = JSON.parse(errors);
        assert.deepEqual([level, msg, rest.class, code], ['fatal', 'it ends', 'Any', 1]);
        assert.equal(error.message, 'the cause');
      });
    });
  }

  for (const kind of ['pipe', 'socket'] as const) {
    it(`has why the service ends, although earlier lines were lost (${kind})`, async () => {
      using program = start(
        kind,
        `${make} process.on('SIGTERM', () => { ${fail} }); ${fill} ${say('full')} setInterval(() => {}, 1_000);`,
      );
      await program.said('full');
      const lines: LogLine[] = [];
      for await (const line of program.read()) {
        lines.push(line);
        // Later, lines would be accepted again. Earlier, a slow machine could not read the rest before the end.
        if (lines.length === 60) program.child.kill('SIGTERM');
      }
      assert.equal(lines.filter(({ msg }) => msg === 'it ends').length, 1);
      assert.equal(await program.errors(), 'full\n');
    });
  }

  it('that is a file has every line even if the process ends immediately', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'log');
    const output = openSync(file, 'w');
    const script = `${make} for (let i = 1; i <= 2000; i++) log.info('line ' + i); process.exit(0);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: import.meta.dirname,
      stdio: ['ignore', output, 'inherit'],
    });
    await once(child, 'exit');
    closeSync(output);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, 2000);
    assert.equal(JSON.parse(lines.at(-1) ?? '').msg, 'line 2000');
  });

  it('that stops accepting lines does not end the service', async () => {
    const { stderr } = await promisify(execFile)(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `${make} import { closeSync } from 'node:fs'; closeSync(1);
         for (let i = 1; i <= 3; i++) log.info('line ' + i); ${say('still here')}`,
      ],
      { cwd: import.meta.dirname, timeout: DEADLINE_MS },
    );
    assert.equal(stderr, 'still here\n');
  });
});

describe('characters that a terminal obeys or that hide text', () => {
  it('are escaped in lines, without losing their content', () => {
    const raw: string[] = [];
    const logs = createLogs({
      level: 'info',
      customLevels: {},
      destination: { write: (line) => raw.push(line) },
    });
    const hostile = '\u009b31m \u007f \u0085 \u202e \u2066 \u200f \u061c \u2028 \ufeff';
    logs.for('Service').info(hostile, { name: hostile });
    assert.doesNotMatch(raw.join('').trimEnd(), /[\p{C}\p{Zl}\p{Zp}]/u);
    const line = JSON.parse(raw[0] ?? '{}');
    assert.deepEqual([line.msg, line.name], [hostile, hostile]);
  });
});
