import type { CourseStructure } from './course-structure.ts';
import type { LearningStandard } from './learning-standard.ts';

/** What a unit opens: a file of the package, or a page elsewhere. */
export type LaunchTarget =
  | {
      readonly kind: 'file';
      /** The exact path in the zip, and so below the folder that it is unpacked to; not encoded. */
      readonly file: string;
      /** Percent-encoded, with its `?`; empty if there is none. Contains the parameters that the manifest adds. */
      readonly query: string;
      /** Percent-encoded, with its `#`; empty if there is none. */
      readonly fragment: string;
    }
  | {
      readonly kind: 'external';
      /** Absolute `http` or `https` URL without credentials, with the parameters that the manifest adds. */
      readonly url: string;
    };

/** When a cmi5 unit is done (cmi5 section 13.1.4). */
export type MoveOn = 'NotApplicable' | 'Passed' | 'Completed' | 'CompletedAndPassed' | 'CompletedOrPassed';

/** The data of a unit that only cmi5 has (cmi5 section 13.1.4). */
export interface Cmi5Settings {
  readonly moveOn: MoveOn;
  readonly launchMethod: 'AnyWindow' | 'OwnWindow';
  readonly activityType: string | null;
  readonly entitlementKey: string | null;
}

/** A part of a course that a learner opens: a SCORM item, an AICC or cmi5 assignable unit, a Tin Can activity. */
export interface LaunchUnit {
  /** The manifest's own identifier, unique within the package. */
  readonly id: string;
  readonly title: string;
  readonly launch: LaunchTarget;
  /** False for a SCORM asset, which reports nothing and is completed by opening it. */
  readonly reports: boolean;
  /** The score that passes, on the standard's own scale: 0 to 100 in SCORM 1.x and AICC, −1 to 1 in SCORM 2004, 0 to 1 in cmi5. */
  readonly masteryScore: number | null;
  /** The progress that completes, 0 to 1; SCORM 2004 only. */
  readonly completionThreshold: number | null;
  /** Text that the unit receives at launch: SCORM data from LMS, AICC core vendor data, cmi5 launch parameters. */
  readonly launchData: string | null;
  /** In the standard's own notation: `HH:MM:SS` in SCORM 1.x and AICC, an ISO 8601 duration in SCORM 2004. */
  readonly maxTimeAllowed: string | null;
  /** For example `exit,message`; SCORM and AICC. */
  readonly timeLimitAction: string | null;
  readonly cmi5: Cmi5Settings | null;
}

/** What a reader of one standard returns about a course. */
export interface CourseOutline {
  readonly learningStandard: LearningStandard;
  /** One line; empty if the manifest has none. */
  readonly title: string;
  /** In the manifest's order, at least one. */
  readonly units: readonly LaunchUnit[];
  readonly structure: CourseStructure;
}

/** What is known about a package without unpacking it. Plain JSON values only. */
export interface PackageDescription extends CourseOutline {
  /** Errors that do not prevent launching, in words for the author of the course. */
  readonly warnings: readonly string[];
}
