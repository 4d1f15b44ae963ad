export type { MaybePromise } from '../internal/maybe-promise.ts';
export { type ReplayModel, replayModel } from '../models/replay.ts';
export {
  type ScriptEntry,
  type ScriptedModel,
  type ScriptedResponse,
  scriptedModel,
} from '../models/scripted.ts';
export { memoryCounters } from '../stores/memory-counters.ts';
export type { AskPoint, PolicyAnswer } from './answer.ts';
export type { ModelWrapAnswer, PromptAnswer, ToolWrapAnswer } from './around-answer.ts';
export { type Asker, ask } from './ask.ts';
export type { ModelBelow } from './ask-model-wrap.ts';
export type { AskOptions } from './ask-options.ts';
export type { ToolBelow } from './ask-tool-wrap.ts';
export { assertAnswer } from './assert-answer.ts';
export {
  chatRequest,
  chatResponse,
  type RequestParts,
  type ResponseParts,
} from './chat-payloads.ts';
export { type ChunkOptions, chunked, chunkedBytes } from './chunked.ts';
export {
  type CountersBench,
  type CountersSetting,
  countersConformance,
} from './conformance/counters.ts';
export {
  type ConformanceCase,
  type OpenStore,
  type ReopenStore,
  type StoreSetting,
  type ThreadStoreConformanceOptions,
  threadStoreConformance,
} from './conformance/thread-store.ts';
export { hookContext } from './context-payload.ts';
export {
  type CoverageOptions,
  coverageOf,
  type PolicyCoverage,
} from './coverage-of.ts';
export type { CoverageReport, PointCoverage, Shares, Thresholds } from './coverage-report.ts';
export { hookError, modelError, toolCallError } from './error-payloads.ts';
export { agentEvent } from './event-payloads.ts';
export type { Expectation, Expectations } from './expectation.ts';
export {
  type FaultyOptions,
  faultyPolicies,
  hangingPolicy,
  latePolicy,
  lyingPolicy,
  throwingPolicy,
} from './faulty-policies.ts';
export {
  assistant,
  type CalledBatch,
  type CalledTool,
  called,
  type HistoryEntry,
  history,
  user,
} from './history.ts';
export { type RecordedAgent, type RecordOptions, recordCalls } from './recording/record-calls.ts';
export type {
  RecordedDecision,
  RecordedModelCall,
  RecordedStep,
  RecordedToolCall,
  RecordedTurn,
} from './recording/recorded-turn.ts';
export type { ReplayDifference } from './replay/compare.ts';
export type { Diverged, ReplayDecision } from './replay/course.ts';
export { readConversation } from './replay/read-conversation.ts';
export { type ReadThreadsOptions, readThreads } from './replay/read-threads.ts';
export {
  type ReadTranscriptsOptions,
  readTranscripts,
} from './replay/read-transcripts.ts';
export { type Replay, type ReplayOptions, replay } from './replay/replay.ts';
export type {
  ReplayCount,
  ReplayCourse,
  ReplayEntry,
  ReplayedConversation,
  ReplayReport,
} from './replay/report.ts';
export type {
  BrokenTranscript,
  RecordedApproval,
  RecordedTool,
  Transcript,
  TranscriptSource,
} from './replay/transcript.ts';
export { chatParts } from './stream-payloads.ts';
export {
  incomingText,
  knowledgeQuery,
  knowledgeResults,
  outgoingText,
  promptInfo,
  textWindow,
  turnStart,
} from './text-payloads.ts';
export { type InvocationOverrides, toolInvocation, toolResult } from './tool-payloads.ts';
