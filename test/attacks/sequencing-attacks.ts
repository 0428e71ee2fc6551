import { startLaunch, startUnit } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import type { WatchedService } from '../support/watched-service.ts';
import { type Attack, assertStatus } from './attack.ts';

/** A course of this many units, and a rollup rule with as many conditions, which is evaluated for each of them. */
const UNITS = 500;
const CONDITIONS = 25_000;
/** An item with this many objectives, and as many conditions about one of them. */
const OBJECTIVES = 20_000;
/** An objective that reads this many shared ones, and conditions about it. */
const MAPS = 4_000;
const MAPPED_CONDITIONS = 20_000;
/** Units whose prerequisites have the maximum length. */
const UNITS_WITH_PREREQUISITES = 900;
const PREREQUISITES_LENGTH = 4_000;
/** How often a forged state repeats the id of a child. Each level of blocks multiplies it. */
const REPEATS = 2_000;
const MANY_MAPS = Array.from({ length: MAPS }, (_, n) => `<imsss:mapInfo targetObjectiveID="g${n}"/>`).join(
  '',
);
const FLOW = '<imsss:sequencing><imsss:controlMode flow="true"/></imsss:sequencing>';

/** Attacks on the sequencing of SCORM 2004, whose state the page sends, and by prerequisites. */
export async function sequencingAttacks(service: WatchedService): Promise<Attack[]> {
  return [
    await repeatedActivities(service),
    await manyConditions(service),
    await conditionsAbout(service, 'thousands of objectives', {
      objectives: Array.from({ length: OBJECTIVES }, (_, n) => `<imsss:objective objectiveID="o${n}"/>`),
      condition: `condition="satisfied" referencedObjective="o${OBJECTIVES - 1}"`,
      count: OBJECTIVES,
    }),
    await conditionsAbout(service, 'an objective with thousands of maps', {
      objectives: [`<imsss:objective objectiveID="o">${MANY_MAPS}</imsss:objective>`],
      condition: 'operator="not" condition="objectiveMeasureKnown" referencedObjective="o"',
      count: MAPPED_CONDITIONS,
    }),
    await longPrerequisites(service, 'blanks', `A=${' '.repeat(PREREQUISITES_LENGTH - 3)}x`),
    await longPrerequisites(service, 'comparisons', 'A=b&'.repeat(PREREQUISITES_LENGTH / 4)),
    await longPrerequisites(service, 'statuses', `A${'|A'.repeat(PREREQUISITES_LENGTH / 2 - 1)}`),
  ];
}

/** A course whose units all have the same prerequisites, which are examined each time that a page shows the units. */
async function longPrerequisites(service: WatchedService, of: string, script: string): Promise<Attack> {
  const items = Array.from(
    { length: UNITS_WITH_PREREQUISITES },
    (_, n) =>
      `<item identifier="i${n}" identifierref="r1"><title>${n}</title><adlcp:prerequisites type="aicc_script"><![CDATA[${script}]]></adlcp:prerequisites></item>`,
  );
  const { registrationId } = await registerTo(service, scorm12Course({ items: items.join('') }));
  const client = await startLaunch(service, registrationId);
  return { name: `pages: prerequisites that are full of ${of}`, perform: () => client.open() };
}

/** The state of an activity. */
function activity(further: object): object {
  return {
    attempts: 1,
    isActive: true,
    isSuspended: false,
    hasOldObjectives: false,
    hasOldProgress: false,
    hasSetSuccess: false,
    hasSetCompletion: false,
    hasEnded: false,
    attemptMs: 0,
    objectives: [],
    available: null,
    ...further,
  };
}

/** The state of a session whose unit has just ended, so that the save rolls it up. */
function ended(activities: object): object {
  return {
    sequencing: {
      format: 2,
      current: 'i1',
      suspended: null,
      activities: { ...activities, i1: activity({ hasEnded: true }) },
      objectives: {},
      stores: {},
    },
  };
}

/** A course of blocks within blocks, and a state in which every block repeats its only child. */
async function repeatedActivities(service: WatchedService): Promise<Attack> {
  const units = ['i1', 'i2'].map(
    (id) => `<item identifier="${id}" identifierref="r1"><title>${id}</title></item>`,
  );
  const items = `<item identifier="x"><title>x</title>${units.join('')}${FLOW}</item>${FLOW}`;
  const { client } = await startUnit(service, scorm2004Course({ items }), 'i1');
  const state = ended({
    o1: activity({ available: Array(REPEATS).fill('x') }),
    x: activity({ available: Array(REPEATS).fill('i1') }),
  });
  return {
    name: 'beacons: a state that repeats its activities',
    perform: async () => assertStatus(await client.commit('i1', {}, { state }), 200),
  };
}

/** A course with thousands of conditions in a rollup rule, which each save evaluates for each unit. */
async function manyConditions(service: WatchedService): Promise<Attack> {
  const units = Array.from(
    { length: UNITS },
    (_, n) => `<item identifier="i${n}" identifierref="r1"><title>${n}</title></item>`,
  );
  const conditions = '<imsss:rollupCondition condition="completed"/>'.repeat(CONDITIONS);
  const rule = `<imsss:rollupRule><imsss:rollupConditions>${conditions}</imsss:rollupConditions><imsss:rollupAction action="completed"/></imsss:rollupRule>`;
  const rules = `<imsss:sequencing><imsss:controlMode flow="true"/><imsss:rollupRules>${rule}</imsss:rollupRules></imsss:sequencing>`;
  const { client } = await startUnit(service, scorm2004Course({ items: `${units.join('')}${rules}` }), 'i1');
  return {
    name: 'beacons: a save that is rolled up with thousands of conditions',
    perform: async () => assertStatus(await client.commit('i1', {}, { state: ended({}) }), 200),
  };
}

/** A course in which each save evaluates a rule with thousands of conditions, each about an objective of its unit. */
async function conditionsAbout(
  service: WatchedService,
  what: string,
  { objectives, condition, count }: { objectives: readonly string[]; condition: string; count: number },
): Promise<Attack> {
  const conditions = `<imsss:ruleCondition ${condition}/>`.repeat(count);
  const sequencing = `<imsss:sequencing>
    <imsss:sequencingRules><imsss:preConditionRule>
      <imsss:ruleConditions>${conditions}</imsss:ruleConditions><imsss:ruleAction action="skip"/>
    </imsss:preConditionRule></imsss:sequencingRules>
    <imsss:objectives><imsss:primaryObjective objectiveID="p"/>${objectives.join('')}</imsss:objectives>
    <adlseq:rollupConsiderations requiredForSatisfied="ifNotSkipped" requiredForNotSatisfied="ifNotSkipped" requiredForCompleted="ifNotSkipped" requiredForIncomplete="ifNotSkipped"/>
  </imsss:sequencing>`;
  const items = `<item identifier="i1" identifierref="r1"><title>1</title></item><item identifier="i2" identifierref="r1"><title>2</title>${sequencing}</item>${FLOW}`;
  const { client } = await startUnit(service, scorm2004Course({ items }), 'i1');
  return {
    name: `beacons: a save for which thousands of conditions about ${what} are evaluated`,
    perform: async () => assertStatus(await client.commit('i1', {}, { state: ended({}) }), 200),
  };
}
