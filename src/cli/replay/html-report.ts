import type { ReplayEntry, ReplayReport } from '../../testing/replay/report.ts';
import type { ReplayArguments } from './arguments.ts';

export class HtmlReport {
  constructor(_path: string, _args: ReplayArguments) {}
  add(_entry: ReplayEntry): void {}
  end(_report: ReplayReport): void {}
  close(): void {}
}
