import assert from 'node:assert/strict';
import { activityTreeOf } from '../../src/player/scorm/course-activity-tree.ts';
import type { ActivityTreeDefinition } from '../../src/player/scorm/sequencing/activity-definition.ts';
import {
  type NavigationOutcome,
  type NavigationRequest,
  SequencingSession,
} from '../../src/player/scorm/sequencing/sequencing-session.ts';
import { trackUnit } from '../../src/player/scorm/sequencing/unit-tracking.ts';
import { inspectFiles } from '../course-packages/package-file.ts';
import { PAGE, SCORM_2004, scormManifest } from '../support/course-packages.ts';

/** Control modes. */
export const FLOW = '<imsss:controlMode choice="true" flow="true"/>';
export const FLOW_ONLY = '<imsss:controlMode choice="false" flow="true"/>';

/** A unit, with the content of its sequencing element. */
export const unit = (id: string, sequencing = '') =>
  `<item identifier="${id}" identifierref="r1"><title>${id}</title>${wrapped(sequencing)}</item>`;
/** A block of items. */
export const block = (id: string, items: string, sequencing = FLOW) =>
  `<item identifier="${id}"><title>${id}</title>${items}${wrapped(sequencing)}</item>`;
const wrapped = (sequencing: string) =>
  sequencing === '' ? '' : `<imsss:sequencing>${sequencing}</imsss:sequencing>`;
/** A rule such as `preConditionRule` with one condition. */
export const rule = (kind: string, condition: string, action: string) =>
  `<imsss:sequencingRules><imsss:${kind}><imsss:ruleConditions><imsss:ruleCondition ${condition}/></imsss:ruleConditions>` +
  `<imsss:ruleAction action="${action}"/></imsss:${kind}></imsss:sequencingRules>`;
/** A primary objective that is mapped to a shared objective. */
export const sharing = (target: string, map = 'writeSatisfiedStatus="true"') =>
  `<imsss:objectives><imsss:primaryObjective objectiveID="own"><imsss:mapInfo targetObjectiveID="${target}" ${map}/></imsss:primaryObjective></imsss:objectives>`;

/** The activity tree of a course with these items, and the content of its sequencing element. */
export async function treeOf(items: string, sequencing = FLOW): Promise<ActivityTreeDefinition> {
  const manifest = scormManifest(SCORM_2004, { items: `${items}${wrapped(sequencing)}` });
  const { structure } = await inspectFiles({ 'imsmanifest.xml': manifest, 'index.html': PAGE });
  const tree = activityTreeOf(structure);
  assert.ok(tree !== null, 'the course is sequenced');
  return tree;
}

/** A learner in a course, who makes requests. Units may report data before they are left. */
export class Learner {
  readonly session: SequencingSession;

  constructor(tree: ActivityTreeDefinition, random = () => 0) {
    this.session = new SequencingSession(tree, null, random);
  }

  static async in(items: string, sequencing = FLOW): Promise<Learner> {
    return new Learner(await treeOf(items, sequencing));
  }

  /** Returns the delivered unit, `over` at the end of the session, or `nothing`. */
  go(request: NavigationRequest): string {
    return resultOf(this.session.navigate(request));
  }

  /** Like {@link go}, if the open unit never began a session. */
  leavesUnbegun(request: NavigationRequest): string {
    return resultOf(this.session.leaveUnbegun(request));
  }

  choose(target: string): string {
    return this.go({ to: 'choice', target });
  }

  /** The open unit reports these elements. */
  says(cmi: Record<string, unknown>): this {
    const { current } = this.session.tree;
    assert.ok(current?.isActive, 'a unit is open');
    trackUnit(current, {
      cmi,
      set: new Set(Object.keys(cmi).map((name) => `cmi.${name}`)),
      elapsedMs: 60_000,
    });
    return this;
  }

  get root() {
    return this.session.tree.root;
  }
}

function resultOf({ delivered, isOver }: NavigationOutcome): string {
  return delivered?.id ?? (isOver ? 'over' : 'nothing');
}
