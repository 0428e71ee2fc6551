import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectFiles } from '../../../test/course-packages/package-file.ts';
import { PAGE, SCORM_2004, scormManifest } from '../../../test/support/course-packages.ts';
import type { RollupRule } from '../../course-packages/scorm-sequencing.ts';
import { activityTreeOf } from './activity-tree.ts';

const REPEATS = 1_000;

describe('the activity tree of a course', () => {
  it('has each condition of a rollup rule once, also if an earlier release stored repeats', async () => {
    const items = ['i1', 'i2'].map(
      (id) => `<item identifier="${id}" identifierref="r1"><title>${id}</title></item>`,
    );
    const manifest = scormManifest(SCORM_2004, { items: items.join('') });
    const { structure } = await inspectFiles({ 'imsmanifest.xml': manifest, 'index.html': PAGE });
    const { scorm2004 } = structure;
    assert.ok(scorm2004 !== null);
    const conditions: RollupRule['conditions'] = [
      { condition: 'completed', operator: 'noOp' },
      { condition: 'completed', operator: 'not' },
      { condition: 'satisfied', operator: 'not' },
    ];
    const rule: RollupRule = {
      action: 'completed',
      childActivitySet: 'any',
      minimumCount: 0,
      minimumPercent: 0,
      combination: 'any',
      conditions: Array.from({ length: REPEATS }, () => conditions).flat(),
    };
    const { sequencing } = scorm2004;
    const rollup = { ...sequencing.rollup, rules: [rule] };
    const tree = activityTreeOf({
      ...structure,
      scorm2004: { ...scorm2004, sequencing: { ...sequencing, rollup } },
    });
    assert.deepEqual(tree?.root.sequencing.rollup.rules, [{ ...rule, conditions }]);
  });
});
