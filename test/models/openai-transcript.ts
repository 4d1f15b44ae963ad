/** A short recorded conversation in OpenAI's chat format. */
export const transcript = [
  { role: 'system', content: 'You help with orders.' },
  { role: 'user', content: 'Where are A-1 and B-2?' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'x1', type: 'function', function: { name: 'look', arguments: '{"id":"A-1"}' } },
      { id: 'x2', type: 'function', function: { name: 'look', arguments: '' } },
    ],
  },
  { role: 'tool', tool_call_id: 'x1', content: '{"at":"sea"}' },
  { role: 'tool', tool_call_id: 'x2', content: 'unknown' },
  { role: 'assistant', content: 'A-1 is at sea.' },
  { role: 'user', content: [{ type: 'text', text: 'Thanks' }] },
  { role: 'assistant', content: 'You are welcome.' },
] as const;
