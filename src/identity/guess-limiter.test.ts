import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { GuessLimiter } from './guess-limiter.ts';

const FAILURE_BURST = 10;
const FAILURE_REFILL_MS = 6_000;
const KNOWN_FOR_MS = 35 * 24 * 60 * 60 * 1_000;

const HOME = '192.0.2.1';
const ELSEWHERE = '192.0.2.2';
const REFILL_SECONDS = FAILURE_REFILL_MS / 1_000;

let time = 0;
const now = () => time;

function exhaust(limiter: GuessLimiter, source: string, subject = 'guessed'): void {
  for (let failure = 1; failure <= FAILURE_BURST; failure++) {
    assert.equal(limiter.refusal(source, subject), null, `guess ${failure} may be tried`);
    assert.equal(limiter.failed(source), null, `failure ${failure} is within the budget`);
  }
}

describe('a guess limiter', () => {
  beforeEach(() => {
    time = Date.UTC(2026, 0, 1);
  });

  it('rejects a source after a burst of failures, and returns how long to wait', () => {
    const limiter = new GuessLimiter({ now });
    exhaust(limiter, HOME);
    assert.equal(limiter.refusal(HOME, 'guessed'), REFILL_SECONDS);
    time += 1_500;
    assert.equal(limiter.refusal(HOME, 'guessed'), Math.ceil(REFILL_SECONDS - 1.5));
  });

  it('counts a source as one, whatever the subjects', () => {
    const limiter = new GuessLimiter({ now });
    for (let failure = 0; failure < FAILURE_BURST; failure++) limiter.failed(HOME);
    assert.equal(limiter.refusal(HOME, 'another'), REFILL_SECONDS);
  });

  it('leaves other sources alone', () => {
    const limiter = new GuessLimiter({ now });
    exhaust(limiter, HOME);
    assert.equal(limiter.refusal(ELSEWHERE, 'guessed'), null);
  });

  it('lets one more guess in after each wait, and the whole burst after a long one', () => {
    const limiter = new GuessLimiter({ now });
    exhaust(limiter, HOME);
    for (let round = 0; round < 3; round++) {
      time += (limiter.refusal(HOME, 'guessed') ?? 0) * 1_000;
      assert.equal(limiter.refusal(HOME, 'guessed'), null);
      assert.equal(limiter.failed(HOME), null);
      assert.equal(limiter.refusal(HOME, 'guessed'), REFILL_SECONDS);
    }
    time += FAILURE_BURST * FAILURE_REFILL_MS;
    exhaust(limiter, HOME);
    assert.notEqual(limiter.refusal(HOME, 'guessed'), null);
  });

  it('never counts successes', () => {
    const limiter = new GuessLimiter({ now });
    for (let attempt = 0; attempt < 10 * FAILURE_BURST; attempt++) {
      assert.equal(limiter.refusal(HOME, 'client'), null);
      limiter.succeeded(HOME, 'client');
    }
    exhaust(limiter, HOME);
  });

  it('gives nothing back for a success, so that a right secret does not pay for guesses at others', () => {
    const limiter = new GuessLimiter({ now });
    exhaust(limiter, HOME);
    limiter.succeeded(HOME, 'own');
    assert.equal(limiter.refusal(HOME, 'guessed'), REFILL_SECONDS);
  });

  it('still checks a known pair after others have used up the budget, and rejects its wrong secrets', () => {
    const limiter = new GuessLimiter({ now });
    limiter.succeeded(HOME, 'known');
    exhaust(limiter, HOME);
    assert.equal(limiter.refusal(HOME, 'known'), null);
    assert.equal(limiter.failed(HOME), REFILL_SECONDS);
    assert.equal(limiter.refusal(HOME, 'known'), null, 'and again');
  });

  it('counts a pair, not a subject: a success elsewhere has no effect here', () => {
    const limiter = new GuessLimiter({ now });
    limiter.succeeded(ELSEWHERE, 'known');
    exhaust(limiter, HOME);
    assert.equal(limiter.refusal(HOME, 'known'), REFILL_SECONDS);
  });

  it('forgets a pair 35 days after its last success', () => {
    const limiter = new GuessLimiter({ now });
    limiter.succeeded(HOME, 'known');
    time += KNOWN_FOR_MS - 1;
    exhaust(limiter, HOME);
    assert.equal(limiter.refusal(HOME, 'known'), null);
    time += 1;
    assert.notEqual(limiter.refusal(HOME, 'known'), null);
  });

  it('rejects concurrent guesses once the budget is used up', () => {
    const limiter = new GuessLimiter({ now });
    const answers = Array.from({ length: 3 * FAILURE_BURST }, () => limiter.failed(HOME));
    assert.equal(answers.filter((answer) => answer === null).length, FAILURE_BURST);
    assert.equal(limiter.refusal(HOME, 'guessed'), REFILL_SECONDS, 'and they make nobody wait longer');
  });

  it('forgets the source and the pair untouched for longest when it remembers too many', () => {
    const limiter = new GuessLimiter({ now, maxRemembered: 2 });
    for (const source of ['first', 'second']) exhaust(limiter, source);
    for (const subject of ['a', 'b']) limiter.succeeded('second', subject);
    assert.notEqual(limiter.refusal('first', 'x'), null);

    limiter.failed('third');
    assert.equal(limiter.refusal('first', 'x'), null, 'forgotten');
    assert.notEqual(limiter.refusal('second', 'x'), null, 'remembered');

    limiter.succeeded('second', 'a');
    limiter.succeeded('second', 'c');
    assert.notEqual(limiter.refusal('second', 'b'), null, 'forgotten');
    assert.equal(limiter.refusal('second', 'a'), null, 'remembered: it succeeded again');
  });

  it('does not extend waits if the clock is set back', () => {
    const limiter = new GuessLimiter({ now });
    exhaust(limiter, HOME);
    time -= 24 * 60 * 60 * 1_000;
    assert.equal(limiter.refusal(HOME, 'guessed'), REFILL_SECONDS);
  });
});
