export const ends = {
  name: 'ends',
  onUserMessage({ text }: { readonly text: string }): undefined {
    if (text.length > 30) process.exit(7);
  },
};
