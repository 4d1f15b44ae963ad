export { repliesTo, reportsError } from '../protocol/tool-answer.ts';
export type { NamedOptions } from './check-named.ts';
export { type CurrentDatetimeOptions, currentDatetimeTool } from './current-datetime.ts';
export { Accepted, Done } from './done.ts';
export { endSessionTool, GOODBYE_LINE } from './end-session.ts';
export { toolFormats } from './formats.ts';
export { type ToolCallFacts, type ToolRun, type ToolSet, toolSet } from './tool-set.ts';
export { userContactTool } from './user-contact.ts';
