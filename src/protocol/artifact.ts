/** An output of a tool that was too long for the model to read: the whole of it, kept beside the thread. */
export interface Artifact {
  /** The id of the call; what the model reads in the place of the output names it. */
  readonly artifactId: string;
  readonly toolName: string;
  /** `text/plain` where the output is a text, and `text` is that very text; else `text` is the JSON of the output. */
  readonly mediaType: 'text/plain' | 'application/json';
  readonly text: string;
}
