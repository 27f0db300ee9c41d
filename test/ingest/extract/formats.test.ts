import { strToU8, zipSync } from 'fflate';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { readFile } from '../../../src/ingest/extract/read-file.js';

const read = (name: string, content: string | Uint8Array, declared: string | null = null) =>
  readFile(typeof content === 'string' ? Buffer.from(content) : content, name, declared);
const zip = (parts: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));

describe('texts', () => {
  const cyrillic =
    'Насос в подвале поднимает воду к башне прежде, чем встанет солнце, чтобы город проснулся и имел давление.\n';
  test.each([
    ['windows-1251', cyrillic],
    ['iso-8859-5', cyrillic],
    ['koi8-r', cyrillic],
    ['utf-16le', cyrillic],
    ['utf-16be', 'The pump lifts the water before the sun is up.'],
    ['shift_jis', 'ポンプは日の出前に水を塔まで上げます。町が目を覚ますと圧力があります。'],
    ['gb18030', '水泵在日出之前把水送到水塔，这样城市醒来时就有压力。'],
    ['windows-1252', 'Überall fließt Wasser, daß es größer klingt: “naïve” façade – déjà vu, señor.'],
  ])('in %s come out exactly', async (encoding, text) => {
    const sentences = text.repeat(8);
    expect((await read('a.txt', iconv.encode(sentences, encoding))).text).toBe(sentences);
  });

  test('lose their byte-order mark and carriage returns, and nothing else: a table’s quoted line break stays', async () => {
    const { text, mediaType } = await read('a.csv', '\ufeff"Name, full",City\r\n"B","one\r\ntwo ""q"""\r\n');
    expect(text).toBe('"Name, full",City\n"B","one\ntwo ""q"""\n');
    expect(mediaType).toBe('text/csv');
  });

  test('keep their words and lose the bytes of what was pasted into them, counted in a warning', async () => {
    const uri = `data:image/png;base64,${'iVBORw0KGgo'.repeat(2000)}==`;
    const { text, warnings } = await read('a.md', `Alpha.\n\n![plan](${uri})\n\n[x]: ${uri}\n\nOmega.`);
    expect(text).toBe('Alpha.\n\n![plan](data:image/png,)\n\n[x]: data:image/png,\n\nOmega.');
    expect(warnings).toEqual(['The contents of 2 embedded files (data: URIs) were left out']);
  });

  test('that only speak of data: URIs keep them', async () => {
    const text = 'Write `data:text/plain,hello` or data:image/gif;base64,R0lGODlhAQABAAAAACw= there.';
    expect(await read('a.md', text)).toMatchObject({ text, warnings: [] });
  });
});

describe('pages', () => {
  test('come as Markdown: headings, lists, tables, code', async () => {
    const { text } = await read(
      'a.html',
      `<!doctype html><title>T</title><h1>Pump</h1><p>It <b>lifts</b>
        <a href="x">water</a>.</p><ul><li>one<li>two<ol><li>inner</ol></ul>
        <table><tr><th>Year<th>Litres<tr><td>1990<td>4|000</table><pre>a
  b</pre>`,
    );
    expect(text).toBe(
      [
        '# Pump',
        'It lifts water.',
        '- one\n- two\n  1. inner',
        '| Year | Litres |\n| --- | --- |\n| 1990 | 4\\|000 |',
        '```\na\n  b\n```',
      ].join('\n\n'),
    );
  });

  test.each([
    ['display: none', '<div style="color:red; display : none">SECRET</div>'],
    ['visibility', '<p style="visibility:hidden">SECRET</p>'],
    ['the hidden attribute', '<p hidden>SECRET</p>'],
    ['a size of nothing', '<span style="font-size:0;color:#fff">SECRET</span>'],
    ['a size of nothing with a unit', '<span style="font-size: 0px !important">SECRET</span>'],
    ['opacity', '<span style="opacity:0">SECRET</span>'],
    ['a place outside the page', '<p style="position:absolute;left:-9999px">SECRET</p>'],
    ['a class of its style sheet', '<style>p.x, .y { display:none }</style><p class="x">SECRET</p>'],
    ['a template', '<template><p>SECRET</p></template>'],
    ['a script', '<script>SECRET</script>'],
    ['a menu', '<nav><a href="/">SECRET</a></nav>'],
    ['a comment', '<!-- SECRET -->'],
  ])('do not say what is hidden by %s', async (_, hidden) => {
    const { text } = await read('a.html', `<!doctype html><body><p>Price: 12.</p>${hidden}<p>Refunds.</p></body>`);
    expect(text).toBe('Price: 12.\n\nRefunds.');
  });

  test('keep what only looks like hiding', async () => {
    const { text } = await read(
      'a.html',
      `<!doctype html><style>@media print { p { display:none } } p:hover { display:none }</style>
        <p style="opacity:0.9">one</p><p style="font-size:0.9em">two</p><p style="font-size:10px">three</p>`,
    );
    expect(text).toBe('one\n\ntwo\n\nthree');
  });

  test('give their article, not the furniture around it', async () => {
    const { text } = await read(
      'a.html',
      `<!doctype html><header>Site</header><main><h1>Article</h1><p>${'Text. '.repeat(20)}</p></main><footer>2024</footer>`,
    );
    expect(text).toBe(`# Article\n\n${'Text. '.repeat(20).trim()}`);
  });

  test('are in the character set that they declare', async () => {
    const page = '<!doctype html><meta charset="windows-1251"><p>Насос поднимает воду.</p>';
    expect((await read('a.html', iconv.encode(page, 'windows-1251'))).text).toBe('Насос поднимает воду.');
  });
});

describe('Word documents', () => {
  const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const docx = (body: string, prolog = '') =>
    zip({
      '[Content_Types].xml':
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
      '_rels/.rels':
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
      'word/document.xml': `${prolog}<w:document ${W}><w:body>${body}</w:body></w:document>`,
    });
  const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;

  test('are as if every tracked change were accepted, and a warning counts the changes', async () => {
    const body = `<w:p>${run('It lasts ')}<w:del w:id="1"><w:r><w:delText>ten</w:delText></w:r></w:del><w:ins w:id="2">${run('six')}</w:ins>${run(' days.')}</w:p>`;
    const { text, warnings } = await read('a.docx', docx(body));
    expect(text).toBe('It lasts six days.');
    expect(warnings).toEqual([expect.stringContaining('1 insertion and 1 deletion')]);
  });

  test('keep the readings of Japanese words', async () => {
    const body = `<w:p><w:r><w:ruby><w:rt>${run('とうきょう')}</w:rt><w:rubyBase>${run('東京')}</w:rubyBase></w:ruby></w:r></w:p>`;
    expect((await read('a.docx', docx(body))).text).toBe('（とうきょう）東京');
  });

  test('that declare entities are refused, and none is resolved', async () => {
    const prolog = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]>';
    await expect(read('a.docx', docx(`<w:p>${run('&x;')}</w:p>`, prolog))).rejects.toMatchObject({ kind: 'corrupt' });
  });
});

test('an XML file’s entities stay names', async () => {
  const xml = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><d>&x;</d>';
  expect((await read('a.xml', xml)).text).toBe(xml);
});

test('an OpenDocument text gives headings, lists and tables, no deleted words and no entities', async () => {
  const body = `<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body><office:text>
    <text:tracked-changes><text:p>GONE</text:p></text:tracked-changes>
    <text:h text:outline-level="2">Pump</text:h><text:p>Lifts<text:s/>water &amp; &lt;more&gt; &x;.</text:p>
    <text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>
    <table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>
    </office:text></office:body></office:document-content>`;
  const { text } = await read(
    'a.odt',
    zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': body }),
  );
  expect(text).toBe('## Pump\n\nLifts water & <more> &x;.\n\n- one\n\n| a | b |\n| --- | --- |');
});

test('slides come in the order of the show, each a page', async () => {
  const slide = (title: string) =>
    `<p:sld><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${title}</a:t></a:r></a:p></p:txBody></p:sp></p:sld>`;
  const bytes = zip({
    'ppt/presentation.xml':
      '<p:presentation><p:sldIdLst><p:sldId r:id="b"/><p:sldId r:id="a"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels':
      '<Relationships><Relationship Id="a" Target="slides/slide1.xml"/><Relationship Id="b" Target="slides/slide2.xml"/></Relationships>',
    'ppt/slides/slide1.xml': slide('First made'),
    'ppt/slides/slide2.xml': slide('First shown'),
  });
  expect(await read('a.pptx', bytes)).toMatchObject({ text: '# First shown\n\n# First made', pageStarts: [0, 15] });
});

test('a book comes chapter by chapter, in the order of its spine', async () => {
  const bytes = zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="o/b.opf"/></rootfiles></container>',
    'o/b.opf':
      '<package><manifest><item id="1" href="one.xhtml"/><item id="2" href="two.xhtml"/></manifest><spine><itemref idref="2"/><itemref idref="1"/></spine></package>',
    'o/one.xhtml': '<html><body><h1>One</h1></body></html>',
    'o/two.xhtml': '<html><body><h1>Two</h1></body></html>',
  });
  expect((await read('a.epub', bytes)).text).toBe('# Two\n\n# One');
});

test('rich text: characters of any code page, cells, nothing of its tables of fonts', async () => {
  const rtf =
    "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 Times;}}\\f0 Gr\\'fc\\'dfe \\u8212?\\par{\\f1\\'cf\\'f0}\\par a\\cell b\\cell\\row{\\*\\x SECRET}}";
  expect((await read('a.rtf', rtf)).text).toBe('Grüße —\n\nПр\n\na | b');
});

test('a mail: subject, people and the plain text; its attachment is counted', async () => {
  const mail = [
    'From: =?utf-8?Q?Ad=C3=A4?= <a@example.org>',
    'To: b@example.org',
    'Subject: =?UTF-8?B?UHVtcGU=?=',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="x"',
    '',
    '--x',
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Gr=FC=DFe aus dem Was=',
    'serwerk',
    '--x',
    'Content-Type: application/pdf',
    'Content-Disposition: attachment; filename=a.pdf',
    '',
    'JVBERi0=',
    '--x--',
  ].join('\r\n');
  const { text, mediaType, warnings } = await read('saved', mail);
  expect(text).toBe('# Pumpe\n\nFrom: Adä <a@example.org>\nTo: b@example.org\n\nGrüße aus dem Wasserwerk');
  expect(mediaType).toBe('message/rfc822');
  expect(warnings).toEqual(['1 attached file was left out']);
});
