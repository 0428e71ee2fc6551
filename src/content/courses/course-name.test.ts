import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { courseNameFrom } from './course-name.ts';

describe('the name of a course from the title of its package', () => {
  it('is the title if that is a valid name', () => {
    assert.equal(courseNameFrom('Fire safety – “basics” 🔥'), 'Fire safety – “basics” 🔥');
  });

  it('has no control characters and no line breaks', () => {
    assert.equal(courseNameFrom('\u0000Fire\r\n\tsafety\u001b[2J\u0085'), 'Fire safety [2J');
  });

  it('is truncated to 200 characters, never in the middle of one', () => {
    assert.equal(courseNameFrom('🔥'.repeat(200)), '🔥'.repeat(200));
    assert.equal(courseNameFrom('🔥'.repeat(201)), `${'🔥'.repeat(199)}…`);
  });

  it('is never blank', () => {
    assert.equal(courseNameFrom(' \u0007\n '), 'Untitled course');
  });
});
