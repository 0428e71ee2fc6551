import { Scorm2004API } from 'scorm-again/scorm2004/min';

const NO_LOG = 5;

/** Sending is the page's own matter: the engine's way there loses data when a page is closed. */
export const NOTHING_SENT = {
  updateSettings() {},
  processHttpRequest: () => ({ result: 'true', errorCode: 0 }),
};

/** The requests of navigation that the page itself makes. */
export type SequencingRequest = 'start' | 'resumeAll' | 'continue' | 'previous' | 'suspendAll' | 'exitAll';

/** The engine's state, as far as it is looked into. */
interface EngineState {
  sequencing?: { currentActivity?: string | null; suspendedActivity?: string | null };
}

/**
 * Leads through the units of a SCORM 2004 course as its manifest's sequencing says. It holds the one engine that knows the
 * tree; units get their data model from it, one after the other.
 */
export class Sequencer {
  readonly engine: Scorm2004API;
  #delivered: string | null = null;
  #isOver = false;
  #choices: Record<string, string> = {};
  #canContinue = false;
  #canGoBack = false;
  readonly #former: string | null;

  /** @param state what an earlier page kept */
  constructor(tree: unknown, state: unknown) {
    this.engine = new Scorm2004API({
      autocommit: false,
      lmsCommitUrl: 'none',
      logLevel: NO_LOG,
      httpService: NOTHING_SENT as never,
      sequencing: {
        activityTree: tree as never,
        eventListeners: {
          onActivityDelivery: ({ id }) => {
            this.#delivered = id;
          },
          onSequencingSessionEnd: () => {
            this.#isOver = true;
          },
          onNavigationValidityUpdate: (update) => {
            this.#choices = update.choice;
            this.#canContinue = update.continue;
            this.#canGoBack = update.previous;
          },
        },
      },
    });
    weighMeasuresByTheStandard(this.engine);
    const former = (state as { sequencing?: unknown } | null)?.sequencing;
    this.#former = typeof former === 'string' ? former : null;
  }

  /** Begins, or goes on where an earlier page was. Answers the unit to open; null where the learner has to choose. */
  begin(): string | null {
    const { sequencing } = this.#restore();
    if (sequencing?.suspendedActivity) return this.request('resumeAll');
    // A page that was closed in the middle suspended nothing: it is done now.
    if (sequencing?.currentActivity) {
      this.request('suspendAll');
      return this.request('resumeAll') ?? this.request('start');
    }
    return this.request('start');
  }

  /** Answers the unit that the request leads to; null for none. */
  request(request: SequencingRequest): string | null {
    return this.#process(request);
  }

  /** The same of a unit that the learner chose. */
  choose(unit: string): string | null {
    return this.#process('choice', unit);
  }

  canChoose(unit: string): boolean {
    return this.#choices[unit] === 'true';
  }

  get canContinue(): boolean {
    return this.#canContinue;
  }

  get canGoBack(): boolean {
    return this.#canGoBack;
  }

  /** The unit that was delivered since this was asked last; null for none. */
  takeDelivered(): string | null {
    const delivered = this.#delivered;
    this.#delivered = null;
    return delivered;
  }

  /** A unit is open: what led to it is over. */
  unitOpened(): void {
    this.#delivered = null;
    this.#isOver = false;
  }

  /** Whether the course was left for good: by an exit, or because nothing follows. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What a later page goes on from. */
  state(): { sequencing: string } {
    return { sequencing: this.engine.serializeSequencingState() };
  }

  #process(request: string, target?: string): string | null {
    this.#delivered = null;
    this.#isOver = false;
    try {
      this.engine.processNavigationRequest(request, target);
    } catch {
      return null;
    }
    return this.takeDelivered();
  }

  #restore(): EngineState {
    if (this.#former === null) return {};
    try {
      if (!this.engine.deserializeSequencingState(this.#former)) return {};
      return JSON.parse(this.#former) as EngineState;
    } catch {
      return {};
    }
  }
}

/** What is reached into of the engine. */
interface EngineParts {
  _sequencing: { _overallSequencingProcess: { rollupProcess: { measureProcessor: MeasureProcessor } } };
}

interface MeasureProcessor {
  calculateComplexWeightedMeasure(activity: MeasuredActivity): number;
}

interface MeasuredActivity {
  getAvailableChildren(): MeasuredActivity[];
  objectiveMeasureStatus: boolean;
  objectiveNormalizedMeasure: number;
  sequencingControls: { tracked: boolean; objectiveMeasureWeight: number };
}

/**
 * The engine weighs a child less for what the standard knows nothing of, such as a second attempt, and leaves children
 * without a measure out. Here is the Measure Rollup Process as it is written (Sequencing and Navigation, RB.1.1).
 */
function weighMeasuresByTheStandard(engine: Scorm2004API): void {
  const { measureProcessor } = (engine as unknown as EngineParts)._sequencing._overallSequencingProcess
    .rollupProcess;
  measureProcessor.calculateComplexWeightedMeasure = (activity) => {
    let total = 0;
    let counted = 0;
    for (const child of activity.getAvailableChildren()) {
      if (!child.sequencingControls.tracked) continue;
      const weight = child.sequencingControls.objectiveMeasureWeight;
      counted += weight;
      if (child.objectiveMeasureStatus) total += child.objectiveNormalizedMeasure * weight;
    }
    return counted > 0 ? total / counted : 0;
  };
}
