import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LOG_CLASSES } from '../../settings/log-classes.ts';
import { LOG_LEVELS } from '../../settings/log-level.ts';
import {
  effectiveLoggingMode,
  LOGGING_MODES,
  logExtentOf,
  messageLoggingMode,
  TRIGGERING_CLASSES,
} from './logging-mode.ts';

const VERBOSE = ['trace', 'debug'] as const;
const OTHERS = ['info', 'warn', 'error', 'fatal', 'silent'] as const;

describe('logging modes', () => {
  it('become FULL, even NONE, if the service or the triggering class is at debug or trace', () => {
    for (const mode of LOGGING_MODES) {
      for (const verbose of VERBOSE) {
        for (const other of LOG_LEVELS) {
          assert.equal(effectiveLoggingMode(mode, { generalLevel: verbose, classLevel: other }), 'FULL');
          assert.equal(effectiveLoggingMode(mode, { generalLevel: other, classLevel: verbose }), 'FULL');
        }
      }
    }
  });

  it('are unchanged at every other level, however little it writes', () => {
    for (const mode of LOGGING_MODES) {
      for (const generalLevel of OTHERS) {
        for (const classLevel of OTHERS) {
          assert.equal(effectiveLoggingMode(mode, { generalLevel, classLevel }), mode);
        }
      }
    }
  });

  it('decide how much is logged of a success and of a failure', () => {
    assert.deepEqual(
      LOGGING_MODES.map((mode) => [mode, logExtentOf(mode, true), logExtentOf(mode, false)]),
      [
        ['NONE', 'nothing', 'nothing'],
        ['SUMMARY', 'summary', 'summary'],
        ['FULL', 'full', 'full'],
        ['FULLONERROR', 'summary', 'full'],
      ],
    );
  });

  it('are spelt FULL_ON_ERROR in messages', () => {
    assert.deepEqual(LOGGING_MODES.map(messageLoggingMode), ['NONE', 'SUMMARY', 'FULL', 'FULL_ON_ERROR']);
  });

  it('depend on classes that exist in the log', () => {
    for (const name of Object.values(TRIGGERING_CLASSES)) assert.ok(Object.hasOwn(LOG_CLASSES, name), name);
  });
});
