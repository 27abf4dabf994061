-1 'm0 |from friend |subject report thanks |body see:1 you:1 please:1 for:1 free:1 lunch:1
-1 'm1 |from friend |subject offer minutes |body offer:1 lunch:1 meeting:1 invoice:2 free:1
-1 'm2 |from shop |subject see report |body winner:1 the:1 monday:1 please:1 offer:1 hello:1
-1 'm3 |from shop |subject meeting you |body free:1 the:2 winner:2 you:1
-1 'm4 |from shop |subject hello monday |body invoice:1 thanks:2 winner:1 for:1 you:1
1 'm5 |from friend |subject invoice free |body monday:1 prize:2 offer:1 minutes:1 hello:1
-1 'm6 |from friend |subject hello prize |body minutes:2 see:1 report:2 thanks:1
1 'm7 |from friend |subject report free |body you:1 monday:3 invoice:1 lunch:1
1 'm8 |from shop |subject the offer |body please:1 hello:1 you:1 prize:1 meeting:1 see:1
-1 'm9 |from shop |subject thanks you |body for:1 meeting:1 lunch:1 hello:1 see:1 monday:1
-1 'm10 |from list |subject offer see |body you:1 offer:1 minutes:2 hello:1 for:1
-1 'm11 |from shop |subject prize invoice |body thanks:1 minutes:2 see:1 hello:1 please:1
-1 'm12 |from shop |subject minutes offer |body offer:1 hello:1 for:1 free:1 please:1 minutes:1
1 'm13 |from list |subject the see |body prize:1 you:1 hello:1 see:1 minutes:1 winner:1
1 'm14 |from list |subject meeting see |body offer:1 lunch:2 prize:1 the:1 minutes:1
-1 'm15 |from friend |subject minutes the |body you:1 thanks:1 minutes:1 meeting:1 lunch:1 for:1
-1 'm16 |from list |subject please minutes |body hello:1 report:1 minutes:1 offer:1 meeting:1 see:1
-1 'm17 |from list |subject thanks prize |body see:2 thanks:2 please:1 monday:1
-1 'm18 |from friend |subject report for |body meeting:1 you:2 please:1 minutes:1 winner:1
-1 'm19 |from shop |subject for report |body minutes:1 meeting:2 report:1 thanks:1 monday:1
-1 'm20 |from list |subject thanks see |body minutes:1 the:2 thanks:1 you:2
-1 'm21 |from shop |subject meeting minutes |body winner:1 monday:1 the:1 meeting:1 offer:1 thanks:1
-1 'm22 |from list |subject minutes see |body minutes:1 invoice:1 the:1 meeting:1 you:1 winner:1
-1 'm23 |from friend |subject the minutes |body winner:2 thanks:1 hello:1 free:1 report:1
-1 'm24 |from list |subject meeting winner |body minutes:1 winner:2 free:1 lunch:1 monday:1
-1 'm25 |from friend |subject prize monday |body meeting:2 for:1 free:1 monday:2
-1 'm26 |from shop |subject thanks offer |body invoice:1 minutes:2 report:1 you:1 meeting:1
1 'm27 |from shop |subject meeting see |body monday:2 invoice:2 lunch:1 prize:1
-1 'm28 |from list |subject monday meeting |body hello:1 minutes:1 for:1 free:1 offer:1 invoice:1
-1 'm29 |from list |subject meeting hello |body hello:1 for:1 monday:1 lunch:1 winner:1 meeting:1
-1 'm30 |from shop |subject please you |body you:2 for:1 hello:1 meeting:1 report:1
1 'm31 |from shop |subject free hello |body you:1 minutes:1 for:1 prize:1 free:1 thanks:1
1 'm32 |from shop |subject lunch invoice |body free:1 prize:1 monday:1 report:1 invoice:1 meeting:1
-1 'm33 |from list |subject offer lunch |body report:2 the:1 please:1 meeting:1 you:1
1 'm34 |from shop |subject winner free |body please:1 minutes:3 invoice:2
-1 'm35 |from friend |subject thanks you |body thanks:2 see:1 prize:1 free:1 invoice:1
1 'm36 |from shop |subject monday free |body lunch:1 see:1 hello:1 thanks:2 you:1
-1 'm37 |from friend |subject for please |body thanks:1 please:2 for:1 lunch:1 minutes:1
1 'm38 |from shop |subject see invoice |body thanks:2 report:1 minutes:1 prize:1 for:1
-1 'm39 |from list |subject meeting see |body invoice:1 see:3 offer:1 winner:1
1 'm40 |from friend |subject free hello |body please:1 you:2 thanks:1 free:1 the:1
-1 'm41 |from friend |subject winner meeting |body you:1 thanks:1 lunch:1 winner:2 see:1
1 'm42 |from shop |subject monday offer |body invoice:2 thanks:1 please:1 meeting:1 prize:1
1 'm43 |from friend |subject meeting free |body lunch:1 minutes:1 hello:1 report:1 for:1 monday:1
1 'm44 |from shop |subject meeting invoice |body prize:1 hello:2 report:1 for:1 invoice:1
1 'm45 |from list |subject prize lunch |body meeting:1 please:1 report:1 prize:1 winner:1 monday:1
1 'm46 |from list |subject please minutes |body prize:1 free:2 minutes:1 invoice:1 the:1
-1 'm47 |from shop |subject the lunch |body monday:1 lunch:1 you:1 offer:1 invoice:2
-1 'm48 |from shop |subject offer meeting |body you:1 lunch:1 see:1 please:1 offer:1 for:1
-1 'm49 |from shop |subject monday meeting |body thanks:2 monday:1 the:1 meeting:1 for:1
-1 'm50 |from friend |subject please meeting |body please:1 monday:2 minutes:1 hello:1 you:1
-1 'm51 |from shop |subject monday minutes |body monday:1 offer:1 free:2 winner:1 for:1
1 'm52 |from friend |subject thanks free |body lunch:2 minutes:2 for:2
-1 'm53 |from friend |subject meeting minutes |body offer:2 the:2 lunch:1 invoice:1
-1 'm54 |from friend |subject invoice lunch |body free:1 for:1 minutes:2 please:1 offer:1
-1 'm55 |from friend |subject the for |body the:1 prize:1 see:1 minutes:1 lunch:1 meeting:1
-1 'm56 |from list |subject offer monday |body please:2 invoice:1 thanks:1 hello:1 for:1
1 'm57 |from list |subject invoice minutes |body lunch:1 meeting:2 please:2 prize:1
-1 'm58 |from shop |subject monday offer |body hello:1 lunch:1 you:1 free:1 offer:1 see:1
-1 'm59 |from friend |subject minutes offer |body free:1 the:2 invoice:1 for:1 please:1
-1 'm60 |from shop |subject for prize |body for:1 free:2 meeting:1 monday:1 offer:1
-1 'm61 |from shop |subject see the |body minutes:1 free:2 you:1 winner:1 report:1
-1 'm62 |from list |subject monday lunch |body offer:2 minutes:1 invoice:1 for:1 hello:1
1 'm63 |from friend |subject monday free |body lunch:2 monday:1 see:1 report:1 prize:1
1 'm64 |from shop |subject invoice the |body for:1 you:1 invoice:1 prize:1 report:1 see:1
1 'm65 |from list |subject please hello |body prize:1 invoice:1 report:1 thanks:1 see:1 you:1
-1 'm66 |from friend |subject lunch report |body offer:1 thanks:1 free:1 winner:1 meeting:1 monday:1
-1 'm67 |from friend |subject prize see |body see:2 monday:1 free:1 meeting:1 for:1
1 'm68 |from friend |subject free the |body prize:1 thanks:1 see:1 free:2 lunch:1
1 'm69 |from list |subject please meeting |body minutes:3 prize:1 report:1 free:1
1 'm70 |from friend |subject free you |body prize:1 you:2 the:1 lunch:1 meeting:1
-1 'm71 |from friend |subject lunch see |body prize:3 winner:1 monday:1 hello:1
1 'm72 |from shop |subject report minutes |body hello:1 prize:1 please:1 lunch:2 minutes:1
1 'm73 |from shop |subject lunch the |body hello:1 prize:2 free:1 thanks:1 report:1
1 'm74 |from friend |subject free winner |body prize:1 the:1 thanks:1 winner:1 free:1 for:1
-1 'm75 |from friend |subject for thanks |body monday:2 winner:2 meeting:1 invoice:1
-1 'm76 |from shop |subject thanks you |body see:2 thanks:1 for:1 offer:1 report:1
-1 'm77 |from friend |subject meeting you |body the:1 report:1 free:1 prize:1 offer:1 please:1
-1 'm78 |from list |subject hello for |body thanks:1 the:1 hello:1 see:1 monday:1 free:1
-1 'm79 |from list |subject minutes please |body free:1 thanks:1 hello:1 report:2 invoice:1
-1 'm80 |from shop |subject please the |body you:1 see:1 for:1 thanks:2 invoice:1
1 'm81 |from list |subject thanks free |body thanks:1 report:1 meeting:1 offer:2 monday:1
-1 'm82 |from shop |subject see invoice |body you:1 free:2 for:1 winner:1 offer:1
-1 'm83 |from friend |subject thanks monday |body report:1 offer:1 prize:1 minutes:1 see:1 lunch:1
-1 'm84 |from friend |subject please you |body winner:1 thanks:1 for:2 hello:1 monday:1
-1 'm85 |from friend |subject thanks lunch |body for:2 winner:1 minutes:1 meeting:1 hello:1
-1 'm86 |from list |subject prize see |body see:1 winner:1 offer:1 invoice:1 the:2
-1 'm87 |from shop |subject see you |body winner:1 report:1 hello:1 meeting:1 lunch:1 offer:1
-1 'm88 |from list |subject minutes see |body free:1 offer:1 invoice:1 hello:1 winner:2
-1 'm89 |from shop |subject winner hello |body please:1 offer:1 report:1 the:1 you:1 minutes:1
-1 'm90 |from friend |subject please lunch |body for:1 hello:1 see:1 the:1 free:1 thanks:1
-1 'm91 |from friend |subject prize hello |body prize:1 hello:1 offer:1 please:2 see:1
-1 'm92 |from list |subject winner thanks |body offer:2 winner:1 monday:1 lunch:1 thanks:1
-1 'm93 |from list |subject prize lunch |body monday:3 invoice:1 offer:1 hello:1
1 'm94 |from friend |subject free for |body monday:1 minutes:1 please:2 report:1 for:1
1 'm95 |from list |subject winner for |body you:1 please:1 winner:1 minutes:1 prize:1 for:1
-1 'm96 |from friend |subject prize winner |body minutes:2 the:1 report:1 free:1 lunch:1
-1 'm97 |from friend |subject report prize |body prize:1 you:1 invoice:1 lunch:1 winner:1 the:1
-1 'm98 |from shop |subject prize the |body monday:2 see:2 free:2
-1 'm99 |from list |subject the please |body the:1 offer:1 you:1 winner:1 see:1 free:1
1 'm100 |from list |subject prize report |body hello:1 the:1 lunch:1 free:1 prize:1 see:1
-1 'm101 |from shop |subject see offer |body winner:1 lunch:2 please:1 see:1 the:1
1 'm102 |from friend |subject free minutes |body for:1 prize:1 see:1 lunch:1 you:2
1 'm103 |from shop |subject please see |body winner:1 prize:1 monday:1 free:1 hello:1 see:1
1 'm104 |from shop |subject prize you |body thanks:2 free:1 monday:1 prize:1 please:1
1 'm105 |from shop |subject hello the |body prize:1 meeting:1 for:2 free:1 winner:1
1 'm106 |from list |subject prize report |body prize:1 thanks:1 minutes:1 winner:1 meeting:1 for:1
-1 'm107 |from friend |subject prize invoice |body offer:1 hello:1 monday:2 report:1 invoice:1
-1 'm108 |from friend |subject meeting report |body free:3 monday:1 meeting:1 thanks:1
-1 'm109 |from list |subject monday see |body winner:1 please:1 meeting:2 minutes:1 see:1
1 'm110 |from list |subject please thanks |body see:1 invoice:1 lunch:1 offer:1 prize:1 for:1
1 'm111 |from list |subject you report |body please:1 for:1 you:2 minutes:1 prize:1
-1 'm112 |from shop |subject prize the |body free:1 winner:1 hello:1 offer:1 report:1 see:1
-1 'm113 |from list |subject see meeting |body lunch:1 offer:1 free:2 invoice:2
1 'm114 |from list |subject prize winner |body minutes:1 prize:1 you:1 meeting:2 see:1
1 'm115 |from list |subject winner report |body meeting:2 free:1 prize:1 see:1 thanks:1
1 'm116 |from list |subject the minutes |body hello:1 invoice:1 for:1 monday:1 prize:1 lunch:1
-1 'm117 |from list |subject for offer |body free:1 monday:1 lunch:2 invoice:2
-1 'm118 |from list |subject winner prize |body please:2 hello:1 free:1 minutes:1 report:1
1 'm119 |from list |subject prize report |body prize:1 please:2 meeting:1 minutes:1 free:1
-1 'm120 |from friend |subject for the |body monday:1 thanks:1 you:1 minutes:1 hello:1 lunch:1
-1 'm121 |from friend |subject thanks prize |body hello:1 lunch:1 report:1 monday:1 winner:1 for:1
-1 'm122 |from friend |subject you the |body for:1 minutes:1 free:1 lunch:1 invoice:1 report:1
-1 'm123 |from shop |subject lunch minutes |body lunch:1 see:1 the:1 meeting:2 offer:1
-1 'm124 |from friend |subject you report |body report:1 please:1 offer:2 see:1 thanks:1
-1 'm125 |from list |subject winner invoice |body the:1 invoice:1 free:1 you:1 monday:1 hello:1
-1 'm126 |from shop |subject report winner |body monday:2 minutes:1 offer:2 please:1
-1 'm127 |from friend |subject prize you |body minutes:1 winner:1 you:1 see:1 for:1 report:1
-1 'm128 |from shop |subject the see |body offer:1 lunch:1 for:1 invoice:1 thanks:2
-1 'm129 |from list |subject thanks prize |body lunch:1 offer:3 see:1 invoice:1
-1 'm130 |from friend |subject please see |body offer:1 minutes:1 lunch:1 see:1 free:1 the:1
1 'm131 |from list |subject please minutes |body for:1 minutes:1 see:1 report:1 prize:1 free:1
-1 'm132 |from shop |subject the invoice |body lunch:1 for:1 invoice:1 report:1 meeting:1 please:1
-1 'm133 |from friend |subject the for |body monday:1 please:1 offer:1 hello:1 lunch:1 you:1
-1 'm134 |from friend |subject the lunch |body prize:2 offer:1 lunch:1 hello:1 the:1
-1 'm135 |from friend |subject for winner |body minutes:1 for:1 hello:1 thanks:1 invoice:2
1 'm136 |from list |subject free hello |body invoice:1 report:2 the:2 hello:1
1 'm137 |from list |subject hello offer |body the:1 prize:2 lunch:2 you:1
-1 'm138 |from list |subject monday offer |body free:1 you:1 minutes:1 the:1 thanks:1 lunch:1
-1 'm139 |from list |subject the hello |body for:1 report:1 minutes:1 thanks:1 see:1 free:1
1 'm140 |from friend |subject for free |body invoice:1 report:1 lunch:1 monday:1 winner:1 free:1
-1 'm141 |from list |subject monday minutes |body you:1 the:2 meeting:1 thanks:1 monday:1
-1 'm142 |from list |subject lunch report |body for:2 winner:1 meeting:1 offer:1 monday:1
-1 'm143 |from friend |subject invoice lunch |body please:2 monday:1 hello:1 lunch:1 thanks:1
1 'm144 |from shop |subject report free |body prize:1 free:2 see:1 offer:1 lunch:1
-1 'm145 |from list |subject for you |body meeting:1 offer:1 see:1 thanks:1 hello:1 lunch:1
1 'm146 |from list |subject monday free |body thanks:2 lunch:1 report:1 you:1 winner:1
1 'm147 |from shop |subject thanks prize |body prize:1 monday:1 free:2 winner:1 the:1
-1 'm148 |from friend |subject minutes winner |body for:1 thanks:1 winner:1 monday:2 lunch:1
-1 'm149 |from friend |subject report the |body report:1 winner:1 thanks:1 the:1 meeting:1 offer:1
-1 'm150 |from friend |subject see you |body the:2 for:1 invoice:1 please:2
1 'm151 |from list |subject hello report |body please:1 the:1 free:1 see:1 you:1 prize:1
-1 'm152 |from friend |subject winner see |body monday:1 prize:2 meeting:1 free:1 lunch:1
1 'm153 |from friend |subject free the |body you:1 the:1 minutes:1 for:1 offer:1 prize:1
-1 'm154 |from list |subject offer thanks |body please:1 report:1 see:1 lunch:1 for:1 hello:1
-1 'm155 |from list |subject see minutes |body monday:1 invoice:1 you:1 free:1 report:1 offer:1
-1 'm156 |from shop |subject prize for |body winner:1 thanks:1 hello:1 offer:1 please:1 monday:1
1 'm157 |from list |subject thanks offer |body minutes:1 thanks:1 prize:1 report:1 offer:1 hello:1
-1 'm158 |from list |subject prize offer |body report:1 the:1 winner:1 minutes:1 lunch:1 hello:1
-1 'm159 |from friend |subject prize lunch |body the:2 hello:1 offer:1 monday:1 lunch:1
-1 'm160 |from shop |subject thanks see |body offer:2 minutes:1 winner:1 thanks:1 lunch:1
-1 'm161 |from shop |subject hello offer |body thanks:1 lunch:1 the:1 free:1 winner:1 meeting:1
-1 'm162 |from list |subject the thanks |body report:2 offer:1 for:1 lunch:1 winner:1
1 'm163 |from list |subject please see |body prize:1 offer:1 minutes:1 free:1 see:1 lunch:1
-1 'm164 |from friend |subject winner minutes |body free:1 prize:1 minutes:1 invoice:1 hello:1 thanks:1
-1 'm165 |from list |subject prize you |body minutes:2 meeting:1 lunch:2 winner:1
-1 'm166 |from list |subject hello please |body the:2 hello:1 winner:1 report:1 minutes:1
-1 'm167 |from shop |subject prize winner |body lunch:1 meeting:1 for:1 minutes:1 hello:1 offer:1
1 'm168 |from shop |subject the report |body prize:2 please:2 lunch:1 meeting:1
1 'm169 |from shop |subject free please |body minutes:1 winner:1 prize:2 for:1 report:1
-1 'm170 |from friend |subject offer monday |body see:1 thanks:1 meeting:1 report:2 invoice:1
1 'm171 |from shop |subject invoice winner |body minutes:1 hello:1 prize:1 for:1 free:1 report:1
-1 'm172 |from friend |subject for monday |body free:1 winner:2 you:1 see:1 lunch:1
1 'm173 |from list |subject winner monday |body offer:1 thanks:1 prize:1 for:1 hello:1 see:1
1 'm174 |from shop |subject thanks hello |body meeting:2 prize:2 offer:1 please:1
1 'm175 |from friend |subject free invoice |body lunch:1 winner:1 free:1 please:2 you:1
-1 'm176 |from friend |subject please winner |body meeting:2 free:1 lunch:1 prize:1 offer:1
-1 'm177 |from list |subject hello thanks |body meeting:1 hello:1 free:2 thanks:1 you:1
-1 'm178 |from friend |subject please thanks |body minutes:2 hello:1 the:1 see:1 prize:1
-1 'm179 |from friend |subject monday lunch |body for:1 invoice:1 offer:1 meeting:1 monday:1 hello:1
1 'm180 |from shop |subject invoice meeting |body winner:1 for:1 prize:1 hello:1 thanks:1 please:1
-1 'm181 |from friend |subject lunch the |body hello:1 thanks:1 offer:1 winner:1 lunch:1 invoice:1
1 'm182 |from shop |subject thanks for |body you:2 free:2 prize:2
-1 'm183 |from list |subject please report |body the:2 hello:1 minutes:1 winner:1 invoice:1
-1 'm184 |from list |subject monday winner |body hello:1 the:1 for:1 winner:2 invoice:1
-1 'm185 |from friend |subject minutes report |body monday:1 for:1 offer:1 minutes:1 thanks:1 hello:1
-1 'm186 |from shop |subject lunch report |body see:2 monday:2 offer:1 you:1
-1 'm187 |from shop |subject for offer |body see:1 you:1 hello:1 free:1 report:1 thanks:1
-1 'm188 |from list |subject you minutes |body monday:1 hello:2 thanks:1 for:1 please:1
1 'm189 |from shop |subject lunch offer |body meeting:1 you:1 lunch:1 report:1 the:1 prize:1
-1 'm190 |from friend |subject for you |body lunch:1 invoice:1 you:2 minutes:1 please:1
1 'm191 |from list |subject winner the |body thanks:1 invoice:1 see:1 the:1 prize:1 report:1
-1 'm192 |from friend |subject meeting winner |body see:1 the:1 offer:1 lunch:1 for:1 you:1
-1 'm193 |from shop |subject hello see |body invoice:1 thanks:1 hello:1 the:1 please:1 you:1
-1 'm194 |from friend |subject you for |body the:1 for:1 minutes:1 see:1 invoice:1 free:1
-1 'm195 |from friend |subject monday you |body invoice:1 meeting:1 you:1 winner:1 thanks:1 lunch:1
-1 'm196 |from friend |subject for you |body winner:2 lunch:2 minutes:1 see:1
-1 'm197 |from shop |subject hello invoice |body see:1 you:1 monday:1 meeting:2 hello:1
-1 'm198 |from shop |subject report winner |body invoice:1 hello:1 free:1 thanks:1 the:1 offer:1
-1 'm199 |from shop |subject meeting lunch |body minutes:1 you:1 free:2 for:1 lunch:1
-1 'm200 |from list |subject you please |body please:1 see:1 free:1 minutes:1 lunch:1 for:1
-1 'm201 |from shop |subject meeting thanks |body you:1 invoice:1 minutes:1 offer:1 lunch:1 report:1
-1 'm202 |from friend |subject for invoice |body please:1 you:2 offer:2 report:1
-1 'm203 |from list |subject winner lunch |body hello:1 report:2 monday:1 winner:1 thanks:1
1 'm204 |from shop |subject thanks monday |body prize:2 free:2 monday:1 thanks:1
-1 'm205 |from list |subject lunch hello |body for:1 meeting:3 winner:1 report:1
-1 'm206 |from list |subject invoice see |body free:2 for:2 thanks:1 lunch:1
-1 'm207 |from list |subject meeting monday |body minutes:1 thanks:1 see:1 lunch:1 winner:1 you:1
1 'm208 |from shop |subject for meeting |body lunch:2 prize:1 monday:1 offer:2
-1 'm209 |from shop |subject hello thanks |body the:1 for:1 please:1 offer:1 meeting:1 thanks:1
-1 'm210 |from list |subject you offer |body please:1 monday:3 see:1 the:1
-1 'm211 |from friend |subject report see |body lunch:1 you:1 hello:1 please:1 for:1 free:1
-1 'm212 |from friend |subject winner monday |body for:2 lunch:1 report:1 thanks:1 offer:1
1 'm213 |from shop |subject thanks lunch |body monday:2 invoice:1 minutes:1 winner:1 prize:1
-1 'm214 |from friend |subject report invoice |body report:1 prize:1 for:2 free:1 lunch:1
-1 'm215 |from list |subject prize for |body monday:1 minutes:2 hello:1 report:2
-1 'm216 |from friend |subject minutes for |body winner:1 monday:1 you:1 meeting:1 hello:1 for:1
-1 'm217 |from friend |subject monday winner |body lunch:1 prize:1 free:1 thanks:1 minutes:1 meeting:1
1 'm218 |from friend |subject free thanks |body you:1 thanks:2 for:1 offer:1 report:1
1 'm219 |from list |subject hello invoice |body thanks:1 winner:1 monday:1 prize:1 hello:1 report:1
-1 'm220 |from list |subject please the |body minutes:2 meeting:1 you:1 thanks:1 report:1
-1 'm221 |from friend |subject lunch report |body see:2 offer:2 monday:1 hello:1
-1 'm222 |from friend |subject thanks meeting |body report:2 lunch:1 monday:1 please:1 invoice:1
-1 'm223 |from friend |subject you monday |body hello:1 invoice:1 offer:1 prize:1 please:1 minutes:1
1 'm224 |from shop |subject lunch offer |body monday:1 prize:1 please:1 winner:1 thanks:2
1 'm225 |from shop |subject free winner |body hello:2 see:1 you:1 winner:1 please:1
-1 'm226 |from shop |subject you for |body minutes:1 winner:1 invoice:1 hello:2 for:1
1 'm227 |from friend |subject free meeting |body hello:1 monday:2 meeting:1 thanks:1 free:1
-1 'm228 |from list |subject thanks the |body thanks:1 report:1 see:1 minutes:2 please:1
-1 'm229 |from list |subject see winner |body for:1 free:1 invoice:1 the:2 winner:1
-1 'm230 |from friend |subject the meeting |body minutes:2 thanks:1 hello:1 you:1 monday:1
1 'm231 |from shop |subject prize you |body offer:1 the:1 prize:1 winner:1 you:1 report:1
-1 'm232 |from shop |subject please lunch |body hello:1 winner:1 you:2 offer:1 thanks:1
-1 'm233 |from list |subject report offer |body please:1 for:1 hello:2 winner:1 you:1
1 'm234 |from shop |subject meeting free |body winner:1 hello:1 free:2 monday:1 meeting:1
1 'm235 |from list |subject for prize |body lunch:1 offer:1 the:1 prize:1 see:1 free:1
1 'm236 |from friend |subject prize free |body invoice:1 see:1 offer:2 the:2
-1 'm237 |from shop |subject lunch the |body the:1 thanks:1 monday:1 offer:1 see:1 please:1
-1 'm238 |from friend |subject hello report |body winner:2 you:1 invoice:1 hello:1 meeting:1
-1 'm239 |from friend |subject monday winner |body please:1 monday:1 report:1 thanks:1 meeting:1 hello:1
1 'm240 |from friend |subject free lunch |body free:1 please:1 for:1 prize:1 monday:1 the:1
-1 'm241 |from shop |subject hello winner |body thanks:3 meeting:1 winner:1 invoice:1
-1 'm242 |from list |subject minutes see |body please:1 report:1 see:1 free:1 you:2
1 'm243 |from list |subject invoice report |body see:1 you:2 for:1 prize:2
-1 'm244 |from friend |subject thanks report |body free:1 lunch:1 the:2 you:1 thanks:1
-1 'm245 |from shop |subject the minutes |body invoice:1 meeting:1 please:2 monday:1 for:1
1 'm246 |from list |subject free offer |body meeting:1 lunch:2 monday:1 invoice:1 free:1
-1 'm247 |from list |subject hello winner |body you:1 see:1 lunch:1 report:1 for:1 invoice:1
-1 'm248 |from shop |subject invoice for |body the:2 winner:1 lunch:1 meeting:1 for:1
-1 'm249 |from friend |subject hello see |body the:1 invoice:1 meeting:2 offer:1 prize:1
-1 'm250 |from shop |subject prize monday |body offer:2 monday:1 for:1 invoice:1 hello:1
-1 'm251 |from friend |subject report see |body prize:1 meeting:2 you:2 lunch:1
1 'm252 |from shop |subject meeting monday |body you:1 monday:1 the:1 report:1 meeting:1 prize:1
-1 'm253 |from friend |subject see please |body hello:1 meeting:1 minutes:1 report:1 prize:1 monday:1
-1 'm254 |from shop |subject please winner |body invoice:3 winner:2 report:1
-1 'm255 |from shop |subject for prize |body hello:2 minutes:2 meeting:1 invoice:1
1 'm256 |from shop |subject winner see |body see:1 minutes:1 hello:1 for:2 prize:1
-1 'm257 |from list |subject lunch you |body winner:2 for:1 thanks:1 lunch:1 hello:1
-1 'm258 |from friend |subject lunch minutes |body lunch:1 report:1 the:1 prize:1 see:1 hello:1
-1 'm259 |from friend |subject invoice monday |body the:1 you:2 hello:2 see:1
-1 'm260 |from friend |subject meeting the |body meeting:1 the:1 for:1 please:1 lunch:1 minutes:1
-1 'm261 |from friend |subject prize monday |body see:1 please:1 lunch:1 hello:1 for:1 report:1
1 'm262 |from shop |subject meeting report |body please:1 for:1 prize:1 offer:1 thanks:1 lunch:1
-1 'm263 |from shop |subject lunch you |body for:1 the:1 thanks:1 report:1 see:1 offer:1
-1 'm264 |from shop |subject invoice hello |body meeting:1 free:2 you:1 see:1 the:1
-1 'm265 |from shop |subject thanks prize |body lunch:1 invoice:2 winner:1 offer:1 hello:1
-1 'm266 |from friend |subject lunch hello |body see:2 monday:1 winner:2 invoice:1
-1 'm267 |from list |subject for prize |body you:1 minutes:1 invoice:3 meeting:1
1 'm268 |from list |subject thanks report |body monday:1 you:1 invoice:1 winner:1 free:1 prize:1
-1 'm269 |from friend |subject please invoice |body the:1 free:1 minutes:2 prize:1 you:1
1 'm270 |from shop |subject hello please |body the:1 meeting:1 minutes:1 report:1 prize:1 winner:1
-1 'm271 |from list |subject winner meeting |body please:1 report:1 lunch:1 thanks:1 free:1 offer:1
-1 'm272 |from shop |subject hello meeting |body the:1 lunch:1 thanks:2 please:2
-1 'm273 |from friend |subject meeting thanks |body monday:1 the:1 prize:1 you:1 for:1 offer:1
-1 'm274 |from list |subject minutes winner |body offer:1 free:1 hello:1 lunch:1 invoice:1 meeting:1
-1 'm275 |from list |subject thanks please |body monday:1 free:1 you:1 please:1 offer:1 winner:1
1 'm276 |from list |subject thanks free |body please:2 prize:2 see:1 winner:1
-1 'm277 |from friend |subject invoice please |body for:2 offer:1 the:1 winner:1 meeting:1
-1 'm278 |from list |subject thanks lunch |body invoice:1 please:1 thanks:1 meeting:1 hello:2
-1 'm279 |from friend |subject for you |body report:1 thanks:1 winner:1 for:1 you:1 see:1
-1 'm280 |from list |subject invoice lunch |body for:2 invoice:1 lunch:1 winner:2
-1 'm281 |from friend |subject invoice for |body see:1 free:1 meeting:2 minutes:1 hello:1
1 'm282 |from friend |subject free prize |body please:1 winner:2 report:1 meeting:1 you:1
-1 'm283 |from shop |subject monday hello |body the:1 monday:1 free:1 winner:1 hello:1 please:1
-1 'm284 |from shop |subject please minutes |body lunch:1 meeting:1 hello:1 for:1 invoice:1 you:1
-1 'm285 |from list |subject report lunch |body monday:1 offer:2 you:1 thanks:1 invoice:1
-1 'm286 |from list |subject meeting see |body winner:2 lunch:3 see:1
1 'm287 |from list |subject hello free |body thanks:1 meeting:1 please:1 invoice:2 free:1
-1 'm288 |from friend |subject thanks invoice |body minutes:1 offer:1 prize:1 you:2 for:1
1 'm289 |from list |subject prize offer |body lunch:1 meeting:1 prize:2 minutes:1 free:1
1 'm290 |from list |subject offer thanks |body for:1 lunch:2 prize:1 report:1 free:1
1 'm291 |from shop |subject free you |body minutes:1 please:1 the:1 winner:1 monday:1 you:1
-1 'm292 |from friend |subject thanks winner |body invoice:1 see:1 the:1 prize:1 lunch:1 winner:1
-1 'm293 |from shop |subject you for |body meeting:3 lunch:1 hello:1 monday:1
-1 'm294 |from shop |subject invoice monday |body please:1 see:2 you:1 winner:1 hello:1
-1 'm295 |from shop |subject thanks for |body monday:2 lunch:1 thanks:1 report:1 invoice:1
-1 'm296 |from shop |subject you see |body invoice:1 minutes:1 for:1 the:1 thanks:2
1 'm297 |from shop |subject free offer |body prize:1 lunch:1 see:3 the:1
1 'm298 |from shop |subject monday winner |body prize:3 see:1 winner:1 minutes:1
-1 'm299 |from list |subject monday lunch |body monday:1 hello:1 see:1 invoice:1 free:1 thanks:1
-1 'm300 |from shop |subject you please |body the:1 minutes:1 free:2 report:1 hello:1
-1 'm301 |from shop |subject prize thanks |body thanks:1 minutes:1 please:1 hello:1 winner:1 the:1
-1 'm302 |from list |subject minutes monday |body report:1 thanks:1 hello:1 free:1 you:1 see:1
1 'm303 |from shop |subject the lunch |body minutes:1 see:2 offer:1 winner:1 prize:1
-1 'm304 |from shop |subject the winner |body minutes:1 meeting:1 see:1 invoice:1 for:1 winner:1
-1 'm305 |from list |subject see minutes |body lunch:1 please:2 winner:1 you:1 offer:1
-1 'm306 |from shop |subject see offer |body please:2 monday:1 winner:1 meeting:2
-1 'm307 |from list |subject hello for |body see:1 offer:3 invoice:1 hello:1
1 'm308 |from friend |subject winner free |body hello:1 offer:1 see:1 for:1 you:1 please:1
-1 'm309 |from shop |subject report you |body you:1 the:1 for:1 please:2 meeting:1
-1 'm310 |from friend |subject winner meeting |body invoice:1 meeting:1 see:1 lunch:1 thanks:1 free:1
-1 'm311 |from list |subject for winner |body for:1 winner:1 meeting:2 see:1 please:1
-1 'm312 |from friend |subject please minutes |body monday:2 lunch:2 prize:1 please:1
-1 'm313 |from list |subject invoice hello |body offer:1 hello:1 please:1 free:1 minutes:1 for:1
-1 'm314 |from shop |subject you see |body offer:2 winner:2 monday:1 invoice:1
-1 'm315 |from shop |subject minutes prize |body see:1 you:1 free:2 monday:1 offer:1
1 'm316 |from shop |subject meeting prize |body prize:1 see:2 please:1 lunch:1 free:1
-1 'm317 |from friend |subject report prize |body please:1 invoice:1 hello:2 you:1 free:1
1 'm318 |from list |subject meeting prize |body hello:1 prize:1 for:1 please:1 the:1 winner:1
1 'm319 |from shop |subject lunch minutes |body report:1 lunch:1 prize:1 invoice:2 thanks:1
-1 'm320 |from shop |subject monday minutes |body report:1 meeting:2 see:1 winner:1 offer:1
1 'm321 |from list |subject minutes lunch |body invoice:1 monday:1 free:2 prize:1 you:1
-1 'm322 |from list |subject prize see |body invoice:1 minutes:1 report:1 free:1 thanks:1 the:1
-1 'm323 |from list |subject offer invoice |body report:1 thanks:3 please:1 winner:1
-1 'm324 |from list |subject report monday |body you:2 lunch:2 monday:1 please:1
-1 'm325 |from friend |subject monday see |body thanks:1 report:1 winner:1 prize:2 invoice:1
1 'm326 |from list |subject free thanks |body see:1 minutes:1 monday:1 for:1 meeting:1 hello:1
-1 'm327 |from shop |subject offer invoice |body invoice:1 see:1 for:2 lunch:1 free:1
-1 'm328 |from friend |subject the you |body lunch:1 prize:2 report:1 you:1 meeting:1
1 'm329 |from list |subject you for |body minutes:1 the:1 meeting:1 see:1 lunch:1 prize:1
1 'm330 |from shop |subject meeting lunch |body offer:1 free:2 minutes:1 prize:1 for:1
1 'm331 |from friend |subject free offer |body winner:1 free:2 prize:1 you:1 lunch:1
-1 'm332 |from friend |subject hello offer |body for:1 minutes:1 hello:1 the:1 you:1 thanks:1
1 'm333 |from shop |subject for monday |body prize:2 thanks:3 for:1
-1 'm334 |from shop |subject please the |body monday:1 minutes:1 the:1 invoice:1 winner:1 lunch:1
1 'm335 |from list |subject invoice free |body please:2 free:1 for:1 lunch:1 offer:1
-1 'm336 |from list |subject invoice prize |body lunch:1 hello:1 the:1 offer:2 minutes:1
1 'm337 |from friend |subject invoice free |body offer:1 the:1 see:1 lunch:1 thanks:1 please:1
-1 'm338 |from shop |subject monday you |body please:1 for:1 see:1 report:1 monday:1 you:1
1 'm339 |from shop |subject minutes prize |body for:1 the:1 report:1 prize:2 hello:1
1 'm340 |from friend |subject free invoice |body for:1 invoice:2 minutes:2 report:1
-1 'm341 |from list |subject see hello |body please:2 report:1 thanks:1 monday:1 offer:1
1 'm342 |from friend |subject see free |body lunch:1 prize:1 minutes:1 please:1 hello:1 report:1
-1 'm343 |from list |subject offer prize |body invoice:2 thanks:1 offer:1 minutes:1 see:1
-1 'm344 |from list |subject please prize |body invoice:2 meeting:1 see:1 offer:2
-1 'm345 |from friend |subject the offer |body monday:1 please:1 free:1 prize:1 hello:1 offer:1
1 'm346 |from friend |subject monday free |body invoice:1 you:1 prize:1 winner:2 offer:1
-1 'm347 |from list |subject invoice prize |body free:1 the:1 invoice:1 winner:1 for:1 offer:1
-1 'm348 |from shop |subject see lunch |body winner:1 you:1 report:2 thanks:1 hello:1
-1 'm349 |from shop |subject see please |body offer:2 the:1 thanks:1 please:1 for:1
-1 'm350 |from shop |subject winner thanks |body winner:1 for:1 invoice:1 monday:1 please:1 free:1
-1 'm351 |from shop |subject report prize |body lunch:1 free:1 see:1 you:2 hello:1
-1 'm352 |from list |subject the report |body lunch:1 report:1 free:1 you:1 offer:1 invoice:1
-1 'm353 |from list |subject invoice minutes |body you:1 the:1 please:1 for:1 report:1 see:1
1 'm354 |from shop |subject report free |body hello:2 thanks:1 see:1 prize:1 minutes:1
1 'm355 |from shop |subject the see |body invoice:1 see:1 for:1 the:1 prize:1 report:1
1 'm356 |from shop |subject thanks winner |body prize:1 minutes:1 thanks:1 meeting:1 invoice:1 offer:1
-1 'm357 |from list |subject for meeting |body minutes:2 offer:1 please:1 see:1 report:1
-1 'm358 |from friend |subject thanks lunch |body you:1 for:1 free:1 lunch:1 prize:1 please:1
-1 'm359 |from list |subject report thanks |body hello:2 you:1 the:1 please:1 invoice:1
1 'm360 |from list |subject free monday |body offer:2 prize:1 lunch:1 meeting:1 free:1
-1 'm361 |from friend |subject lunch the |body see:1 free:2 report:1 lunch:1 you:1
-1 'm362 |from friend |subject please lunch |body lunch:1 invoice:1 meeting:1 minutes:1 you:1 for:1
-1 'm363 |from shop |subject report winner |body for:1 invoice:1 lunch:1 winner:1 free:1 you:1
-1 'm364 |from list |subject meeting offer |body the:1 meeting:1 offer:1 minutes:1 report:1 see:1
-1 'm365 |from list |subject monday minutes |body monday:1 invoice:1 hello:1 thanks:1 report:1 offer:1
1 'm366 |from shop |subject report prize |body see:1 invoice:1 please:1 prize:1 offer:1 thanks:1
-1 'm367 |from friend |subject report offer |body see:1 prize:1 hello:1 minutes:1 free:1 winner:1
-1 'm368 |from friend |subject offer minutes |body lunch:1 thanks:1 you:1 please:1 hello:1 offer:1
-1 'm369 |from list |subject report you |body winner:1 you:2 see:1 the:1 offer:1
1 'm370 |from friend |subject the free |body you:1 prize:1 invoice:1 thanks:1 winner:1 for:1
-1 'm371 |from list |subject winner the |body minutes:1 thanks:1 the:2 you:1 meeting:1
-1 'm372 |from shop |subject please thanks |body meeting:1 please:1 monday:1 free:1 hello:1 the:1
1 'm373 |from list |subject hello you |body prize:1 winner:1 meeting:1 you:1 lunch:1 hello:1
-1 'm374 |from list |subject thanks winner |body the:3 for:1 please:1 minutes:1
1 'm375 |from list |subject you hello |body monday:1 please:1 the:1 prize:1 hello:1 see:1
-1 'm376 |from friend |subject lunch monday |body you:1 monday:2 hello:1 for:1 thanks:1
1 'm377 |from shop |subject for the |body prize:1 for:1 hello:1 thanks:1 monday:1 please:1
-1 'm378 |from friend |subject you minutes |body hello:2 invoice:2 winner:1 please:1
-1 'm379 |from friend |subject see report |body offer:1 for:2 thanks:1 free:1 monday:1
1 'm380 |from list |subject free hello |body monday:2 hello:1 lunch:1 the:1 please:1
-1 'm381 |from shop |subject prize monday |body please:2 see:1 meeting:1 monday:1 free:1
1 'm382 |from list |subject monday free |body meeting:1 prize:1 see:1 for:2 thanks:1
-1 'm383 |from shop |subject minutes thanks |body you:1 minutes:2 hello:1 free:1 report:1
1 'm384 |from friend |subject free see |body please:1 free:1 for:1 offer:1 lunch:1 see:1
-1 'm385 |from shop |subject thanks see |body lunch:1 offer:1 hello:2 report:1 you:1
1 'm386 |from list |subject you free |body winner:2 meeting:2 hello:1 see:1
-1 'm387 |from friend |subject prize for |body offer:1 prize:1 free:2 thanks:1 minutes:1
1 'm388 |from list |subject free offer |body prize:2 meeting:1 minutes:1 thanks:1 lunch:1
-1 'm389 |from friend |subject see lunch |body please:1 invoice:1 you:1 thanks:1 winner:1 prize:1
-1 'm390 |from shop |subject meeting winner |body for:1 thanks:1 report:1 invoice:1 please:1 offer:1
-1 'm391 |from friend |subject for offer |body see:2 meeting:2 invoice:2
-1 'm392 |from list |subject prize report |body hello:1 minutes:1 report:1 meeting:1 winner:1 free:1
-1 'm393 |from friend |subject hello report |body free:1 the:3 for:1 hello:1
-1 'm394 |from list |subject meeting hello |body for:1 please:1 report:1 hello:1 invoice:2
-1 'm395 |from friend |subject minutes you |body invoice:2 minutes:1 prize:1 winner:1 hello:1
-1 'm396 |from list |subject meeting for |body hello:1 offer:1 thanks:1 for:1 see:2
1 'm397 |from friend |subject free monday |body prize:1 meeting:1 lunch:1 the:1 see:1 monday:1
-1 'm398 |from friend |subject minutes please |body winner:1 meeting:2 for:1 monday:1 thanks:1
1 'm399 |from shop |subject free meeting |body winner:1 hello:1 lunch:1 for:1 invoice:1 the:1
-1 'm400 |from list |subject see offer |body you:1 for:1 lunch:2 report:1 offer:1
1 'm401 |from list |subject free for |body offer:2 please:1 lunch:1 prize:1 minutes:1
1 'm402 |from shop |subject the prize |body offer:1 for:1 free:1 you:1 lunch:1 prize:1
1 'm403 |from shop |subject minutes winner |body prize:1 offer:2 see:1 meeting:1 monday:1
-1 'm404 |from list |subject the minutes |body report:1 invoice:1 winner:1 meeting:1 for:1 thanks:1
1 'm405 |from list |subject winner invoice |body the:2 please:1 invoice:1 see:1 prize:1
-1 'm406 |from friend |subject hello please |body please:1 the:1 see:1 offer:2 report:1
1 'm407 |from shop |subject monday see |body prize:1 for:2 hello:1 minutes:1 free:1
-1 'm408 |from list |subject prize monday |body please:1 hello:2 free:1 offer:1 see:1
-1 'm409 |from friend |subject the monday |body thanks:1 lunch:1 you:1 meeting:1 offer:1 monday:1
-1 'm410 |from list |subject invoice thanks |body winner:1 hello:1 lunch:1 thanks:1 see:2
-1 'm411 |from shop |subject winner invoice |body thanks:1 winner:1 monday:1 report:1 meeting:1 offer:1
1 'm412 |from shop |subject invoice see |body thanks:2 prize:1 winner:1 lunch:1 for:1
1 'm413 |from shop |subject free winner |body please:1 the:1 minutes:1 hello:1 offer:1 for:1
-1 'm414 |from shop |subject the lunch |body for:4 minutes:1 free:1
1 'm415 |from friend |subject hello free |body lunch:2 prize:2 see:2
1 'm416 |from shop |subject invoice monday |body offer:2 thanks:1 prize:1 for:1 meeting:1
-1 'm417 |from shop |subject offer see |body the:1 see:1 hello:1 meeting:1 for:1 winner:1
-1 'm418 |from friend |subject you the |body you:3 lunch:1 minutes:1 prize:1
-1 'm419 |from list |subject minutes monday |body free:2 lunch:1 minutes:2 hello:1
-1 'm420 |from shop |subject offer winner |body for:1 meeting:2 report:2 hello:1
-1 'm421 |from friend |subject for see |body lunch:1 thanks:1 free:1 the:2 report:1
1 'm422 |from list |subject meeting winner |body meeting:1 lunch:2 prize:1 offer:1 please:1
-1 'm423 |from friend |subject report lunch |body meeting:1 see:1 please:1 offer:1 free:1 for:1
-1 'm424 |from shop |subject you prize |body lunch:1 report:1 offer:2 the:1 hello:1
1 'm425 |from shop |subject monday prize |body hello:1 offer:1 you:1 prize:1 see:1 the:1
-1 'm426 |from friend |subject hello thanks |body hello:2 the:1 invoice:1 for:1 report:1
-1 'm427 |from shop |subject monday see |body please:1 monday:2 thanks:1 hello:1 minutes:1
1 'm428 |from list |subject the free |body minutes:1 winner:1 hello:1 you:1 thanks:1 see:1
-1 'm429 |from friend |subject lunch the |body hello:1 winner:1 monday:1 report:1 meeting:1 please:1
1 'm430 |from shop |subject free report |body please:1 for:1 free:1 minutes:1 lunch:1 prize:1
-1 'm431 |from friend |subject monday thanks |body monday:1 meeting:1 offer:1 see:1 hello:1 thanks:1
1 'm432 |from shop |subject for winner |body offer:1 report:1 winner:1 you:1 meeting:1 prize:1
-1 'm433 |from friend |subject you minutes |body for:2 monday:1 report:1 winner:1 the:1
-1 'm434 |from friend |subject hello invoice |body lunch:2 prize:1 see:1 report:1 invoice:1
-1 'm435 |from list |subject meeting hello |body minutes:2 hello:1 thanks:1 please:1 invoice:1
-1 'm436 |from friend |subject prize invoice |body report:1 lunch:2 thanks:2 minutes:1
1 'm437 |from shop |subject minutes hello |body minutes:1 prize:2 free:1 report:1 the:1
-1 'm438 |from friend |subject for hello |body lunch:1 offer:1 see:1 free:2 the:1
-1 'm439 |from shop |subject see meeting |body lunch:1 the:1 you:2 please:1 winner:1
1 'm440 |from list |subject hello monday |body prize:1 winner:1 you:1 minutes:1 hello:1 lunch:1
1 'm441 |from shop |subject invoice free |body please:1 invoice:1 minutes:1 report:2 offer:1
-1 'm442 |from list |subject you minutes |body please:2 thanks:1 see:1 for:2
-1 'm443 |from shop |subject prize monday |body invoice:2 offer:1 report:1 see:1 lunch:1
-1 'm444 |from friend |subject hello monday |body lunch:1 prize:2 invoice:1 offer:1 the:1
-1 'm445 |from list |subject monday see |body the:1 hello:1 see:1 please:1 for:1 thanks:1
1 'm446 |from shop |subject prize free |body prize:1 minutes:1 invoice:1 see:1 monday:1 for:1
-1 'm447 |from shop |subject lunch hello |body minutes:1 free:1 for:1 please:1 you:1 invoice:1
-1 'm448 |from friend |subject minutes see |body for:1 offer:2 winner:1 you:2
-1 'm449 |from list |subject see for |body you:1 invoice:1 for:1 lunch:1 please:1 offer:1
-1 'm450 |from friend |subject monday you |body invoice:2 minutes:1 for:1 meeting:1 please:1
1 'm451 |from list |subject see you |body hello:1 free:1 prize:1 see:2 offer:1
1 'm452 |from shop |subject invoice free |body hello:1 please:1 meeting:2 prize:1 thanks:1
-1 'm453 |from list |subject winner prize |body please:1 thanks:1 minutes:1 invoice:1 hello:2
-1 'm454 |from list |subject lunch for |body invoice:2 lunch:2 please:1 free:1
1 'm455 |from shop |subject monday winner |body minutes:2 monday:1 offer:2 prize:1
-1 'm456 |from list |subject hello for |body report:1 the:1 hello:1 monday:1 please:1 see:1
-1 'm457 |from friend |subject see thanks |body free:1 thanks:1 for:1 monday:1 winner:1 minutes:1
1 'm458 |from list |subject winner meeting |body report:1 prize:1 thanks:1 meeting:3
-1 'm459 |from friend |subject minutes monday |body please:2 thanks:1 lunch:1 winner:1 monday:1
-1 'm460 |from list |subject meeting invoice |body monday:1 please:2 lunch:2 you:1
-1 'm461 |from shop |subject hello the |body thanks:1 monday:1 winner:1 you:1 invoice:1 for:1
-1 'm462 |from list |subject winner prize |body lunch:1 free:1 offer:1 for:1 you:1 please:1
1 'm463 |from list |subject hello report |body invoice:1 prize:1 monday:1 meeting:1 report:1 for:1
1 'm464 |from shop |subject free monday |body offer:1 see:1 report:1 lunch:1 the:1 meeting:1
-1 'm465 |from list |subject the please |body offer:1 meeting:1 the:1 hello:1 monday:1 for:1
-1 'm466 |from shop |subject lunch report |body minutes:1 meeting:1 free:1 for:1 please:1 see:1
1 'm467 |from friend |subject see free |body hello:1 you:2 please:1 minutes:1 free:1
1 'm468 |from list |subject please free |body offer:1 please:1 you:1 see:1 report:1 winner:1
1 'm469 |from friend |subject monday free |body for:1 see:1 report:1 monday:1 free:1 minutes:1
-1 'm470 |from friend |subject the you |body monday:2 the:1 see:1 meeting:1 invoice:1
1 'm471 |from list |subject meeting free |body prize:1 offer:2 monday:1 winner:1 minutes:1
-1 'm472 |from shop |subject please thanks |body please:1 monday:1 report:1 free:1 minutes:1 offer:1
-1 'm473 |from list |subject for hello |body winner:1 monday:1 free:1 you:1 the:1 minutes:1
-1 'm474 |from friend |subject the invoice |body lunch:1 prize:1 offer:1 minutes:1 free:2
-1 'm475 |from friend |subject offer minutes |body see:1 prize:1 invoice:1 the:1 for:1 thanks:1
-1 'm476 |from friend |subject prize winner |body lunch:1 monday:2 minutes:1 please:1 prize:1
-1 'm477 |from shop |subject minutes offer |body the:1 report:1 offer:1 you:1 hello:1 monday:1
1 'm478 |from list |subject you winner |body prize:1 invoice:1 lunch:1 report:3
-1 'm479 |from list |subject hello you |body minutes:1 for:1 the:1 invoice:1 report:1 thanks:1
-1 'm480 |from list |subject hello thanks |body meeting:2 winner:1 free:1 for:1 you:1
-1 'm481 |from list |subject meeting please |body free:2 invoice:1 you:1 meeting:1 for:1
-1 'm482 |from friend |subject minutes prize |body the:2 report:1 winner:2 free:1
-1 'm483 |from friend |subject hello minutes |body lunch:1 monday:1 for:1 thanks:1 minutes:1 hello:1
-1 'm484 |from list |subject lunch hello |body invoice:2 winner:1 see:1 offer:1 minutes:1
-1 'm485 |from list |subject offer lunch |body for:2 offer:1 report:1 minutes:1 lunch:1
-1 'm486 |from list |subject thanks please |body free:1 offer:1 monday:1 report:1 invoice:2
-1 'm487 |from list |subject offer meeting |body see:1 hello:1 free:2 offer:1 invoice:1
1 'm488 |from list |subject winner free |body monday:1 prize:1 invoice:1 meeting:1 winner:2
-1 'm489 |from friend |subject winner offer |body meeting:1 prize:2 thanks:2 lunch:1
1 'm490 |from shop |subject please offer |body lunch:1 winner:1 minutes:1 prize:1 free:1 report:1
-1 'm491 |from shop |subject see meeting |body you:1 report:1 please:2 meeting:1 lunch:1
-1 'm492 |from shop |subject hello monday |body invoice:1 please:1 for:2 monday:1 meeting:1
-1 'm493 |from list |subject the for |body offer:2 for:1 minutes:1 see:1 meeting:1
-1 'm494 |from shop |subject invoice meeting |body the:1 invoice:1 hello:1 please:2 winner:1
-1 'm495 |from shop |subject prize lunch |body please:2 winner:1 you:1 for:1 meeting:1
1 'm496 |from shop |subject for hello |body prize:1 meeting:1 invoice:2 free:1 minutes:1
-1 'm497 |from list |subject winner monday |body report:1 invoice:1 monday:3 the:1
-1 'm498 |from shop |subject prize please |body hello:1 offer:1 report:1 for:1 lunch:1 winner:1
-1 'm499 |from friend |subject for meeting |body please:1 meeting:1 free:1 winner:1 hello:1 see:1
