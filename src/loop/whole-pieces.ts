import type { Delta } from './collect-stream.ts';

/**
 * Keeps the first half of a character back until the second has come, so that every piece can be sent on by itself.
 * The pieces of several calls may come in turns. A half that stays alone leaves with nothing.
 */
export class WholePieces {
  #halves: Map<string, string> | undefined;

  take(piece: Delta): string {
    const of = piece.type === 'tool-input' ? `call ${piece.id}` : piece.type;
    const text = (this.#halves?.get(of) ?? '') + piece.text;
    this.#halves?.delete(of);
    const last = text.charCodeAt(text.length - 1);
    if (!(last >= 0xd800 && last <= 0xdbff)) return text.toWellFormed();
    this.#halves ??= new Map();
    this.#halves.set(of, text.slice(-1));
    return text.slice(0, -1).toWellFormed();
  }
}
