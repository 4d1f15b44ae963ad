import { createHash } from 'node:crypto';
import type { AgentEvent } from '../../events/event.ts';
import type { ModelRequest } from '../../models/port.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { type Course, callIndex } from './course.ts';

/** What the model was sent, what a tool was given, or what the user was shown, without its content. */
export interface Footprint {
  readonly turn: number;
  readonly step: number;
  readonly what: 'request' | 'input' | 'text';
  readonly call?: number;
  /** True behind the divergence. */
  readonly after: boolean;
  readonly digest: string;
}

/**
 * What a conversation left behind, to be compared with what the same one left under other policies: rewrites and
 * feedback are in no decision, but they are in here.
 */
export class Footprints {
  readonly all: Footprint[] = [];
  #turn = 1;
  #step = 0;
  #diverged = false;

  request({ messages, settings }: ModelRequest): void {
    this.#add('request', { messages, settings });
  }

  ran(input: JsonObject, callId: string, course: Course): void {
    this.#follow(course);
    this.#add('input', input, callIndex(callId));
  }

  hear(event: AgentEvent, course: Course): void {
    this.#follow(course);
    this.#step = event.step;
    if (event.type === 'message.outgoing' && event.discarded !== true)
      this.#add('text', event.text);
  }

  #follow({ turn, diverged }: Course): void {
    if (turn !== this.#turn) this.#step = 0;
    this.#turn = turn;
    this.#diverged = diverged !== undefined;
  }

  #add(what: Footprint['what'], value: unknown, call?: number): void {
    // Ids are minted by turn and step, so they are the same in both runs.
    const digest = createHash('sha1').update(JSON.stringify(value)).digest('base64');
    const place = { turn: this.#turn, step: this.#step, after: this.#diverged };
    this.all.push({ ...place, what, ...(call !== undefined && { call }), digest });
  }
}
