import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/embed/retry.js';
import { createChatContextWriter } from '../../../src/ingest/context/chat-context-writer.js';
import { contextPrompt, PASSAGE_LIMITS, passageAt } from '../../../src/ingest/context/context-writer.js';
import { type FakeChat, startFakeChat } from '../../support/fake-chat.js';

let chat: FakeChat;
beforeAll(async () => {
  chat = await startFakeChat();
});
afterAll(() => chat.close());
beforeEach(() => {
  chat.answerWith();
  chat.say(null);
});

const clock: Clock = { now: () => 0, sleep: async () => {}, random: () => 1 };
const writer = (apiKey: string | null = 'sk-secret') =>
  createChatContextWriter({ url: chat.baseUrl, model: 'small-model', apiKey, clock });
const passage = passageAt({ title: 'Pumps', text: 'It must be primed.' }, { start: 0, end: 18, headings: ['Start'] });

describe('the chat model that situates chunks', () => {
  test('is asked at /chat/completions and answers with one line', async () => {
    chat.say('  About the\n priming of   the pump. ');
    expect(await writer().write(passage)).toBe('About the priming of the pump.');
    const request = chat.requests.at(-1)!;
    expect(request).toMatchObject({
      path: '/v1/chat/completions',
      authorization: 'Bearer sk-secret',
      model: 'small-model',
    });
    expect(request.prompt).toContain('<headings>\nStart\n</headings>');
    expect(request.prompt).toContain('<chunk>\nIt must be primed.\n</chunk>');
  });

  test('tries again what passes, and then says what it is without text or key', async () => {
    chat.answerWith(503, 429, 200);
    await writer().write(passage);
    chat.answerWith(...Array(9).fill(500));
    const error: unknown = await writer()
      .write(passage)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'PROVIDER_UNAVAILABLE', details: { provider: 'context', retryable: true } });
    expect(`${error} ${JSON.stringify(error)}`).not.toMatch(/sk-|primed/);
  });

  test.each([401, 404])('does not try %i again', async (status) => {
    chat.answerWith(status, 200);
    await expect(writer().write(passage)).rejects.toMatchObject({
      message: expect.stringContaining('GAZETTEER_CONTEXT_MODEL'),
      details: { retryable: false },
    });
  });

  test('an answer without words is an error', async () => {
    chat.say(' \n ');
    await expect(writer().write(passage)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  });

  test('ends when the caller does', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(writer().write(passage, signal)).rejects.toThrow('enough');
  });
});

describe('the prompt', () => {
  test('shows the surroundings of a chunk and the beginning, each within its limit', () => {
    const text = `THE BEGINNING ${'a'.repeat(5_000)} BEFORE <chunk of the text> AFTER ${'z'.repeat(5_000)} THE END`;
    const start = text.indexOf('<chunk');
    const shown = passageAt(
      { title: 't', text },
      { start, end: text.indexOf(' AFTER'), headings: ['h'.repeat(9_999)] },
    );
    expect(shown.opening).toContain('THE BEGINNING');
    expect(shown.before.endsWith(' BEFORE ')).toBe(true);
    expect(shown.text).toBe('<chunk of the text>');
    expect(shown.after.startsWith(' AFTER')).toBe(true);
    const { opening, before, text: own, after } = PASSAGE_LIMITS;
    const length = contextPrompt(shown).reduce((sum, { content }) => sum + content.length, 0);
    expect(length).toBeLessThan(opening + before + own + after + 1_500);
  });

  test('does not show the beginning twice', () => {
    const shown = passageAt({ title: 't', text: 'first. second. third.' }, { start: 7, end: 14, headings: [] });
    expect(shown).toMatchObject({ opening: '', before: 'first. ', text: 'second.', after: ' third.' });
  });
});
