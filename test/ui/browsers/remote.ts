/** An input source of the WebDriver standard, with its actions: the same in WebDriver and in WebDriver BiDi. */
export interface InputSource {
  type: 'pointer' | 'key';
  id: string;
  parameters?: { pointerType: 'mouse' };
  actions: readonly object[];
}

/** A browser under remote control, with one window. */
export interface Remote extends AsyncDisposable {
  /** Opens an address and waits until it has loaded. */
  open(url: string): Promise<void>;
  /**
   * Calls a function in the page with arguments that JSON can represent, and returns its result.
   * @param source the text of a function; it sees nothing but its arguments and the page
   */
  call(source: string, args: readonly unknown[]): Promise<unknown>;
  /** Presses keys and moves the mouse as a person does. */
  perform(sources: readonly InputSource[]): Promise<void>;
  /** Chooses a file for the input that a selector finds. */
  chooseFile(selector: string, path: string): Promise<void>;
  /** How many windows and tabs are open. */
  countWindows(): Promise<number>;
  /** Makes the page this wide and high, in CSS pixels. */
  resize(width: number, height: number): Promise<void>;
}

/** Says in one text what a program has printed, for the error of a start that failed. */
export function collectOutput(...streams: (NodeJS.ReadableStream | null)[]): () => string {
  let text = '';
  for (const stream of streams) {
    stream?.on('data', (chunk: Buffer) => {
      text = `${text}${chunk}`.slice(-4_000);
    });
  }
  return () => text.trim();
}
