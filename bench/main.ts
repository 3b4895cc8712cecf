// npm run bench -- --help

import { installGlobals } from './gpu/globals';

installGlobals();

// three looks for WebGPU's names while its modules run: they come first
const { main } = await import( './run' );

process.exit( await main( process.argv.slice( 2 ) ) );
