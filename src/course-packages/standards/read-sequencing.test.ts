import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspectFiles } from '../../../test/course-packages/package-file.ts';
import { PAGE, SCORM_2004, scormManifest } from '../../../test/support/course-packages.ts';
import type { StructureItem } from '../course-structure.ts';
import type { Sequencing } from '../scorm-sequencing.ts';

const NAMESPACES = `${SCORM_2004.namespaces} xmlns:adlnav="http://www.adlnet.org/xsd/adlnav_v1p3"`;

/** A SCORM 2004 course of these items, which may all use the resource `r1`. */
async function inspectItems(items: string, inside = '') {
  const manifest = scormManifest({ ...SCORM_2004, namespaces: NAMESPACES }, { items, inside });
  return await inspectFiles({ 'imsmanifest.xml': manifest, 'index.html': PAGE });
}

async function readItem(content: string, inside = ''): Promise<StructureItem> {
  const { structure } = await inspectItems(
    `<item identifier="i1" identifierref="r1"><title>One</title>${content}</item>`,
    inside,
  );
  return structure.items[0]!;
}

async function readSequencing(content: string, inside = ''): Promise<Sequencing> {
  return (await readItem(`<imsss:sequencing${content}`, inside)).scorm2004!.sequencing;
}

const DEFAULTS: Sequencing = {
  controlMode: {
    choice: true,
    choiceExit: true,
    flow: false,
    forwardOnly: false,
    useCurrentAttemptObjectiveInfo: true,
    useCurrentAttemptProgressInfo: true,
  },
  preConditionRules: [],
  exitConditionRules: [],
  postConditionRules: [],
  limitConditions: {
    attemptLimit: null,
    attemptAbsoluteDurationLimit: null,
    activityAbsoluteDurationLimit: null,
    beginTimeLimit: null,
    endTimeLimit: null,
  },
  auxiliaryResources: [],
  rollup: { objectiveSatisfied: true, progressCompletion: true, objectiveMeasureWeight: 1, rules: [] },
  primaryObjective: null,
  objectives: [],
  randomization: {
    randomizationTiming: 'never',
    selectCount: null,
    reorderChildren: false,
    selectionTiming: 'never',
  },
  delivery: { tracked: true, completionSetByContent: false, objectiveSetByContent: false },
  constrainedChoice: { constrainChoice: false, preventActivation: false },
  rollupConsiderations: {
    requiredForSatisfied: 'always',
    requiredForNotSatisfied: 'always',
    requiredForCompleted: 'always',
    requiredForIncomplete: 'always',
    measureSatisfactionIfActive: true,
  },
};

const NO_SCORES = {
  readRawScore: false,
  readMinScore: false,
  readMaxScore: false,
  readCompletionStatus: false,
  readProgressMeasure: false,
  writeRawScore: false,
  writeMinScore: false,
  writeMaxScore: false,
  writeCompletionStatus: false,
  writeProgressMeasure: false,
};

describe('the structure of a SCORM 2004 course', () => {
  it('is the tree of its items, blocks and units, with the defaults of the standard', async () => {
    const { structure, units } = await inspectItems(
      '<item identifier="b"><title>Block</title><item identifier="u" identifierref="r1" isvisible="false"/></item>',
    );
    assert.deepEqual(
      units.map(({ id }) => id),
      ['u'],
    );
    const [block] = structure.items;
    assert.deepEqual([block?.id, block?.title, block?.isUnit, block?.isVisible], ['b', 'Block', false, true]);
    const [unit] = block!.children;
    assert.deepEqual([unit?.id, unit?.title, unit?.isUnit, unit?.isVisible], ['u', 'u', true, false]);
    assert.deepEqual(unit?.scorm2004, {
      sequencing: DEFAULTS,
      completionThreshold: null,
      hideLmsUi: [],
      sharedData: [],
    });
    assert.deepEqual(structure.scorm2004, {
      id: 'o1',
      title: 'A course',
      objectivesGlobalToSystem: true,
      sharedDataGlobalToSystem: true,
      completionThreshold: null,
      sequencing: DEFAULTS,
    });
  });

  it('includes hidden controls, the progress that completes, and the data that units share', async () => {
    const { scorm2004 } = await readItem(
      '<adlcp:completionThreshold completedByMeasure="true" minProgressMeasure="0.4" progressWeight="0.5"/>' +
        '<adlcp:data><adlcp:map targetID="urn:notes" writeSharedData="false"/></adlcp:data>' +
        '<adlnav:presentation><adlnav:navigationInterface><adlnav:hideLMSUI>previous</adlnav:hideLMSUI>' +
        '<adlnav:hideLMSUI>Continue</adlnav:hideLMSUI></adlnav:navigationInterface></adlnav:presentation>',
    );
    assert.deepEqual(scorm2004?.completionThreshold, {
      completedByMeasure: true,
      minProgressMeasure: 0.4,
      progressWeight: 0.5,
    });
    assert.deepEqual(scorm2004?.sharedData, [
      { targetId: 'urn:notes', readSharedData: true, writeSharedData: false },
    ]);
    assert.deepEqual(scorm2004?.hideLmsUi, ['previous', 'continue']);
  });

  it('has rules with their conditions', async () => {
    const { preConditionRules, exitConditionRules, postConditionRules } = await readSequencing(
      `><imsss:sequencingRules>
        <imsss:preConditionRule><imsss:ruleConditions conditionCombination="any">
          <imsss:ruleCondition condition="satisfied" operator="not" referencedObjective="obj"/>
          <imsss:ruleCondition condition="objectiveMeasureGreaterThan" measureThreshold="0.5"/>
        </imsss:ruleConditions><imsss:ruleAction action="skip"/></imsss:preConditionRule>
        <imsss:exitConditionRule><imsss:ruleConditions><imsss:ruleCondition condition="attempted"/></imsss:ruleConditions>
          <imsss:ruleAction action="exit"/></imsss:exitConditionRule>
        <imsss:postConditionRule><imsss:ruleConditions><imsss:ruleCondition condition="always"/></imsss:ruleConditions>
          <imsss:ruleAction action="retryAll"/></imsss:postConditionRule>
      </imsss:sequencingRules></imsss:sequencing>`,
    );
    assert.deepEqual(preConditionRules, [
      {
        action: 'skip',
        combination: 'any',
        conditions: [
          { condition: 'satisfied', operator: 'not', referencedObjective: 'obj', measureThreshold: 0 },
          {
            condition: 'objectiveMeasureGreaterThan',
            operator: 'noOp',
            referencedObjective: null,
            measureThreshold: 0.5,
          },
        ],
      },
    ]);
    assert.deepEqual([exitConditionRules[0]?.action, exitConditionRules[0]?.combination], ['exit', 'all']);
    assert.equal(postConditionRules[0]?.action, 'retryAll');
  });

  it('has objectives, whose maps of scores and of progress are those of the 4th edition', async () => {
    const { primaryObjective, objectives } = await readSequencing(
      `><imsss:objectives>
        <imsss:primaryObjective objectiveID="p" satisfiedByMeasure="true">
          <imsss:minNormalizedMeasure>0.6</imsss:minNormalizedMeasure>
          <imsss:mapInfo targetObjectiveID="g" writeSatisfiedStatus="true"/>
        </imsss:primaryObjective>
        <imsss:objective objectiveID="o"><imsss:mapInfo targetObjectiveID="h" readSatisfiedStatus="false"/></imsss:objective>
      </imsss:objectives>
      <adlseq:objectives><adlseq:objective objectiveID="p">
        <adlseq:mapInfo targetObjectiveID="g" readMinScore="false" writeRawScore="true"/>
      </adlseq:objective></adlseq:objectives></imsss:sequencing>`,
    );
    assert.deepEqual(primaryObjective, {
      id: 'p',
      satisfiedByMeasure: true,
      minNormalizedMeasure: 0.6,
      maps: [
        {
          targetObjectiveId: 'g',
          readSatisfiedStatus: true,
          readNormalizedMeasure: true,
          writeSatisfiedStatus: true,
          writeNormalizedMeasure: false,
          ...NO_SCORES,
          readRawScore: true,
          readMaxScore: true,
          readCompletionStatus: true,
          readProgressMeasure: true,
          writeRawScore: true,
        },
      ],
    });
    assert.deepEqual(objectives, [
      {
        id: 'o',
        satisfiedByMeasure: false,
        minNormalizedMeasure: 1,
        maps: [
          {
            targetObjectiveId: 'h',
            readSatisfiedStatus: false,
            readNormalizedMeasure: true,
            writeSatisfiedStatus: false,
            writeNormalizedMeasure: false,
            ...NO_SCORES,
          },
        ],
      },
    ]);
  });

  it('has limits, rollup, randomization, delivery controls and considerations', async () => {
    const sequencing = await readSequencing(
      `><imsss:controlMode choice="false" flow="true"/>
      <imsss:limitConditions attemptLimit="2" attemptAbsoluteDurationLimit="PT30M"/>
      <imsss:rollupRules rollupObjectiveSatisfied="false" objectiveMeasureWeight="0.25">
        <imsss:rollupRule childActivitySet="atLeastPercent" minimumPercent="0.5">
          <imsss:rollupConditions><imsss:rollupCondition condition="completed" operator="not"/></imsss:rollupConditions>
          <imsss:rollupAction action="incomplete"/></imsss:rollupRule></imsss:rollupRules>
      <imsss:randomizationControls randomizationTiming="once" selectCount="3" reorderChildren="true" selectionTiming="onEachNewAttempt"/>
      <imsss:deliveryControls tracked="false" completionSetByContent="True"/>
      <adlseq:constrainedChoiceConsiderations constrainChoice="true" preventActivation="true"/>
      <adlseq:rollupConsiderations requiredForCompleted="ifNotSkipped" measureSatisfactionIfActive="false"/>
      </imsss:sequencing>`,
    );
    assert.deepEqual(sequencing, {
      ...DEFAULTS,
      controlMode: { ...DEFAULTS.controlMode, choice: false, flow: true },
      limitConditions: {
        ...DEFAULTS.limitConditions,
        attemptLimit: 2,
        attemptAbsoluteDurationLimit: 'PT30M',
      },
      rollup: {
        objectiveSatisfied: false,
        progressCompletion: true,
        objectiveMeasureWeight: 0.25,
        rules: [
          {
            action: 'incomplete',
            childActivitySet: 'atLeastPercent',
            minimumCount: 0,
            minimumPercent: 0.5,
            combination: 'any',
            conditions: [{ condition: 'completed', operator: 'not' }],
          },
        ],
      },
      randomization: {
        randomizationTiming: 'once',
        selectCount: 3,
        reorderChildren: true,
        selectionTiming: 'onEachNewAttempt',
      },
      delivery: { tracked: false, completionSetByContent: true, objectiveSetByContent: false },
      constrainedChoice: { constrainChoice: true, preventActivation: true },
      rollupConsiderations: {
        ...DEFAULTS.rollupConsiderations,
        requiredForCompleted: 'ifNotSkipped',
        measureSatisfactionIfActive: false,
      },
    });
  });

  it('inherits from a shared sequencing the parts that an item does not have itself', async () => {
    const shared =
      '<imsss:sequencingCollection><imsss:sequencing ID="s"><imsss:controlMode flow="true" choice="false"/>' +
      '<imsss:deliveryControls tracked="false"/></imsss:sequencing></imsss:sequencingCollection>';
    const sequencing = await readSequencing(
      ' IDRef="s"><imsss:controlMode forwardOnly="true"/></imsss:sequencing>',
      shared,
    );
    assert.deepEqual(sequencing.controlMode, { ...DEFAULTS.controlMode, forwardOnly: true });
    assert.equal(sequencing.delivery.tracked, false);
  });

  it('ignores unknown elements, with a warning', async () => {
    const { structure, warnings } = await inspectItems(
      `<item identifier="i1" identifierref="r1"><imsss:sequencing IDRef="gone"><imsss:controlMode flow="perhaps"/>
        <imsss:sequencingRules><imsss:preConditionRule><imsss:ruleConditions><imsss:ruleCondition condition="hungry"/>
        </imsss:ruleConditions><imsss:ruleAction action="skip"/></imsss:preConditionRule></imsss:sequencingRules>
      </imsss:sequencing></item>`,
    );
    assert.deepEqual(structure.items[0]?.scorm2004?.sequencing, DEFAULTS);
    assert.match(warnings.join('\n'), /sequencing "gone".*\n.*flow.*"perhaps"(.*\n)*.*condition "hungry"/);
  });

  it('is refused when items multiply a large sequencing that they share', async () => {
    const rules = '<imsss:rollupRule/>'.repeat(10_000);
    const shared = `<imsss:sequencingCollection><imsss:sequencing ID="s"><imsss:rollupRules>${rules}</imsss:rollupRules></imsss:sequencing></imsss:sequencingCollection>`;
    const items = Array.from(
      { length: 10 },
      (_, index) => `<item identifier="i${index}" identifierref="r1"><imsss:sequencing IDRef="s"/></item>`,
    ).join('');
    await assert.rejects(inspectItems(items, shared), { code: 'MANIFEST_TOO_COMPLEX' });
  });

  it('has each condition of a rollup rule once', async () => {
    const conditions = ['satisfied', 'completed', 'satisfied'].flatMap((condition) => [
      `<imsss:rollupCondition condition="${condition}"/>`,
      `<imsss:rollupCondition operator="not" condition="${condition}"/>`,
    ]);
    const rule = `<imsss:rollupRule><imsss:rollupConditions>${conditions.join('').repeat(100)}</imsss:rollupConditions><imsss:rollupAction action="completed"/></imsss:rollupRule>`;
    const { rollup } = await readSequencing(
      `><imsss:rollupRules>${rule}</imsss:rollupRules></imsss:sequencing>`,
    );
    assert.deepEqual(rollup.rules[0]?.conditions, [
      { condition: 'satisfied', operator: 'noOp' },
      { condition: 'satisfied', operator: 'not' },
      { condition: 'completed', operator: 'noOp' },
      { condition: 'completed', operator: 'not' },
    ]);
  });

  it('is refused if every save would apply too many rollup rules to too many children', async () => {
    const rule =
      '<imsss:rollupRule><imsss:rollupConditions><imsss:rollupCondition condition="completed"/></imsss:rollupConditions><imsss:rollupAction action="completed"/></imsss:rollupRule>';
    const units = Array.from(
      { length: 200 },
      (_, index) => `<item identifier="i${index}" identifierref="r1"/>`,
    ).join('');
    const block = (rules: number) =>
      `<item identifier="b">${units}<imsss:sequencing><imsss:rollupRules>${rule.repeat(rules)}</imsss:rollupRules></imsss:sequencing></item>`;
    await assert.rejects(inspectItems(block(1_000)), { code: 'MANIFEST_TOO_COMPLEX' });
    assert.equal((await inspectItems(block(10))).units.length, 200);
    const organization = block(1_000)
      .replace('<item identifier="b">', '')
      .replace(/<\/item>$/, '');
    await assert.rejects(inspectItems(organization), { code: 'MANIFEST_TOO_COMPLEX' });
  });
});
