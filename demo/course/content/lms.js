/**
 * Communicates with the learning system that launched the course: SCORM 2004 if it is available, otherwise SCORM 1.2. Without
 * a learning system, the course works, too, but stores nothing.
 */
(() => {
  const MAX_WINDOWS = 20;

  const DIALECTS = {
    API_1484_11: {
      name: 'SCORM 2004',
      calls: { begin: 'Initialize', get: 'GetValue', set: 'SetValue', save: 'Commit', end: 'Terminate' },
      location: 'cmi.location',
      progress: (share) => ({ 'cmi.progress_measure': share.toFixed(2) }),
      begun: { status: 'cmi.completion_status', unset: ['unknown', 'not attempted'], value: 'incomplete' },
      finished: (percent, passed) => ({
        'cmi.score.scaled': (percent / 100).toFixed(2),
        'cmi.score.raw': String(percent),
        'cmi.score.min': '0',
        'cmi.score.max': '100',
        'cmi.success_status': passed ? 'passed' : 'failed',
        'cmi.completion_status': 'completed',
      }),
      left: (seconds, isFinished) => ({
        'cmi.session_time': `PT${seconds}S`,
        'cmi.exit': isFinished ? 'normal' : 'suspend',
      }),
    },
    API: {
      name: 'SCORM 1.2',
      calls: {
        begin: 'LMSInitialize',
        get: 'LMSGetValue',
        set: 'LMSSetValue',
        save: 'LMSCommit',
        end: 'LMSFinish',
      },
      location: 'cmi.core.lesson_location',
      progress: () => ({}),
      begun: { status: 'cmi.core.lesson_status', unset: ['not attempted'], value: 'incomplete' },
      finished: (percent, passed) => ({
        'cmi.core.score.raw': String(percent),
        'cmi.core.score.min': '0',
        'cmi.core.score.max': '100',
        'cmi.core.lesson_status': passed ? 'passed' : 'failed',
      }),
      left: (seconds, isFinished) => ({
        'cmi.core.session_time': toClock(seconds),
        'cmi.core.exit': isFinished ? '' : 'suspend',
      }),
    },
  };

  /** The course's calls to the learning system, for either standard. */
  class LearningSystem {
    #api;
    #dialect;
    #begunAt = Date.now();
    #isFinished = false;
    #isOpen = false;

    constructor(found) {
      this.#api = found?.api;
      this.#dialect = found?.dialect;
      this.#isOpen = found !== null && String(this.#call('begin', '')) === 'true';
      if (!this.#isOpen) return;
      const { status, unset, value } = this.#dialect.begun;
      if (unset.includes(this.#call('get', status))) this.#set({ [status]: value });
    }

    /** The connection, for people. */
    get name() {
      return this.#isOpen ? `Connected with ${this.#dialect.name}` : 'A preview: nothing is recorded';
    }

    /** The bookmark of the learner, or an empty text. */
    get location() {
      return this.#isOpen ? this.#call('get', this.#dialect.location) : '';
    }

    visit(location, share) {
      if (!this.#isOpen) return;
      this.#set({ [this.#dialect.location]: location, ...this.#dialect.progress(share) });
      this.#call('save', '');
    }

    finish(percent, passed) {
      if (!this.#isOpen) return;
      this.#isFinished = true;
      this.#set(this.#dialect.finished(percent, passed));
      this.#call('save', '');
    }

    leave() {
      if (!this.#isOpen) return;
      this.#set(this.#dialect.left(Math.round((Date.now() - this.#begunAt) / 1_000), this.#isFinished));
      this.#call('save', '');
      this.#call('end', '');
      this.#isOpen = false;
    }

    #set(values) {
      for (const [element, value] of Object.entries(values)) this.#call('set', element, value);
    }

    #call(name, ...args) {
      return this.#api[this.#dialect.calls[name]](...args);
    }
  }

  /** The API is in a window above this one, or above the one that opened it (SCORM 1.2 RTE 3.3.6). */
  function findApi() {
    for (const [member, dialect] of Object.entries(DIALECTS)) {
      for (const start of [window, window.top?.opener]) {
        const api = start ? findAbove(start, member) : null;
        if (api !== null) return { api, dialect };
      }
    }
    return null;
  }

  function findAbove(start, member) {
    let current = start;
    for (let steps = 0; steps < MAX_WINDOWS; steps += 1) {
      try {
        if (current[member]) return current[member];
      } catch {
        return null;
      }
      if (current.parent === current) return null;
      current = current.parent;
    }
    return null;
  }

  function toClock(seconds) {
    const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
    return parts.map((part) => String(part).padStart(2, '0')).join(':');
  }

  window.connectLearningSystem = () => new LearningSystem(findApi());
})();
