import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectFiles } from '../../../test/course-packages/package-file.ts';
import { PAGE, SCORM_2004, scormManifest } from '../../../test/support/course-packages.ts';
import type { RollupRule } from '../../course-packages/scorm-sequencing.ts';
import { activityTreeOf, rollupTreeOf } from './course-activity-tree.ts';

const REPEATS = 1_000;

/** The way in which a course of one unit is played. */
async function playedAs(
  ofUnit: string,
  ofCourse: string,
  furtherOfUnit = '',
): Promise<'sequenced' | 'by its rules' | 'plain'> {
  const item = `<item identifier="i1" identifierref="r1"><title>Exam</title><imsss:sequencing>${ofUnit}</imsss:sequencing>${furtherOfUnit}</item>`;
  const items = `${item}<imsss:sequencing><imsss:controlMode choice="true" flow="true"/>${ofCourse}</imsss:sequencing>`;
  const manifest = scormManifest(SCORM_2004, { items });
  const { structure } = await inspectFiles({ 'imsmanifest.xml': manifest, 'index.html': PAGE });
  if (activityTreeOf(structure) !== null) return 'sequenced';
  return rollupTreeOf(structure) === null ? 'plain' : 'by its rules';
}

const LIMIT = '<imsss:limitConditions attemptLimit="1"/>';
/** The sequencing that authoring tools write for their only unit. */
const OF_TOOLS =
  '<imsss:rollupRules rollupObjectiveSatisfied="true" rollupProgressCompletion="true" objectiveMeasureWeight="1"/>' +
  '<imsss:objectives><imsss:primaryObjective objectiveID="p" satisfiedByMeasure="true"><imsss:minNormalizedMeasure>0.8' +
  '</imsss:minNormalizedMeasure></imsss:primaryObjective></imsss:objectives>' +
  '<imsss:deliveryControls tracked="true" completionSetByContent="true" objectiveSetByContent="true"/>';
const RULES =
  '<imsss:rollupRules><imsss:rollupRule childActivitySet="all"><imsss:rollupConditions><imsss:rollupCondition condition="satisfied"/>' +
  '</imsss:rollupConditions><imsss:rollupAction action="completed"/></imsss:rollupRule></imsss:rollupRules>';
const EXIT_RULE =
  '<imsss:sequencingRules><imsss:postConditionRule><imsss:ruleConditions><imsss:ruleCondition condition="satisfied" operator="not"/>' +
  '</imsss:ruleConditions><imsss:ruleAction action="retry"/></imsss:postConditionRule></imsss:sequencingRules>';

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

  it('sequences a course of one unit only if that limits when the unit may be opened', async () => {
    assert.equal(await playedAs('', ''), 'plain');
    assert.equal(await playedAs(OF_TOOLS, OF_TOOLS), 'plain');
    assert.equal(await playedAs(RULES, ''), 'plain', 'rollup rules of a unit');
    assert.equal(await playedAs(OF_TOOLS, RULES), 'by its rules');
    assert.equal(await playedAs(LIMIT, RULES), 'sequenced');
    assert.equal(await playedAs('', LIMIT), 'sequenced');
    assert.equal(await playedAs(EXIT_RULE, ''), 'sequenced');
  });

  it('sequences a course of one unit that shares objectives or data with other courses', async () => {
    const map = '<imsss:mapInfo targetObjectiveID="x" writeSatisfiedStatus="true"/>';
    const primary = `<imsss:primaryObjective objectiveID="p">${map}</imsss:primaryObjective>`;
    assert.equal(await playedAs(`<imsss:objectives>${primary}</imsss:objectives>`, ''), 'sequenced');
    const data = '<adlcp:data><adlcp:map targetID="notes"/></adlcp:data>';
    assert.equal(await playedAs('', '', data), 'sequenced');
  });
});
