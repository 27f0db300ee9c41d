import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';

/** Where a browser that opens the GraphQL URL with credentials configured is sent: a page of our own, offline. */
const ELSEWHERE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Gazetteer</title>
<body><p>This is the GraphQL endpoint of a Gazetteer. Explore it in <a href="/explorer/">the explorer</a>.</p></body></html>`;

/** Apollo's page is blank where its site cannot be reached. */
const OFFLINE =
  '<p>Apollo Studio loads from the internet. Without it: <a href="/explorer/">the explorer of this server</a>.</p>';

/**
 * Apollo's embedded Studio in development (it loads from Apollo's site, so it needs the internet). With credentials
 * configured, no third party's script runs on this origin.
 */
export async function makeLandingPage(isDevelopment: () => Promise<boolean>): Promise<() => Promise<string>> {
  const plugin = ApolloServerPluginLandingPageLocalDefault({ embed: true, footer: false });
  const listener = await plugin.serverWillStart?.({} as never);
  const studio = listener ? await listener.renderLandingPage?.() : undefined;
  return async () => {
    if (!studio || !(await isDevelopment())) return ELSEWHERE;
    const page = typeof studio.html === 'string' ? studio.html : await studio.html();
    return page.replace(/<body[^>]*>/, (body) => body + OFFLINE);
  };
}
