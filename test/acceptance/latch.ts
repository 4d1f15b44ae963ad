/** Holds whoever waits until it is opened, however slow the machine is. */
export function latch(): { readonly whenOpen: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const whenOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { whenOpen, open };
}
