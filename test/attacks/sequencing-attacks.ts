import { startUnit } from '../support/player-client.ts';
import { scorm2004Course } from '../support/player-courses.ts';
import type { WatchedService } from '../support/watched-service.ts';
import { type Attack, assertStatus } from './attack.ts';

/** How often a forged state repeats the id of a child. Each level of blocks multiplies it. */
const REPEATS = 2_000;
const FLOW = '<imsss:sequencing><imsss:controlMode flow="true"/></imsss:sequencing>';

/** Attacks on the sequencing of SCORM 2004, whose state the page sends. */
export async function sequencingAttacks(service: WatchedService): Promise<Attack[]> {
  return [await repeatedActivities(service)];
}

/** A course of blocks within blocks, and a state in which every block repeats its only child. */
async function repeatedActivities(service: WatchedService): Promise<Attack> {
  const units = ['i1', 'i2'].map(
    (id) => `<item identifier="${id}" identifierref="r1"><title>${id}</title></item>`,
  );
  const items = `<item identifier="x"><title>x</title>${units.join('')}${FLOW}</item>${FLOW}`;
  const { client } = await startUnit(service, scorm2004Course({ items }), 'i1');
  const activity = (further: object) => ({
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
  });
  const sequencing = {
    format: 2,
    current: 'i1',
    suspended: null,
    activities: {
      o1: activity({ available: Array(REPEATS).fill('x') }),
      x: activity({ available: Array(REPEATS).fill('i1') }),
      i1: activity({ hasEnded: true }),
    },
    objectives: {},
    stores: {},
  };
  return {
    name: 'beacons: a state that repeats its activities',
    perform: async () => assertStatus(await client.commit('i1', {}, { state: { sequencing } }), 200),
  };
}
